"""What stands where, drawn: the network with its ports, and the racks with their power, as SVG."""
