"""What is served over HTTP, and who may ask."""
