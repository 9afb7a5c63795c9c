"""The bundled demonstration table and its hierarchies."""
