"""What things are; imports nothing of ours."""
