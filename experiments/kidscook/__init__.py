"""KidsCook (Bisk et al. 2019): side tables, and the switches of the code behind the paper."""
