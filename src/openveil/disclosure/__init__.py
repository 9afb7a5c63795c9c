"""What knowing the algorithm tells: disclosure sets, disclosure functions, and how they are counted."""
