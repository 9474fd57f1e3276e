"""Work at programs that steer a simulated cluster."""
