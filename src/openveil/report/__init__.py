"""What people read about a release."""
