"""What the workplaces with materials share: who may look at them, and the page's style sheets."""
