"""What is seen of a body: its shapes, cut into cells that can hold mass."""
