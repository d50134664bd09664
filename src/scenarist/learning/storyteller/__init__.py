"""Script -> a prior over stories, who tells them and who infers from them: the storyteller of Bennett's appendix."""
