"""What a release is still worth: information loss, accuracy, completeness."""
