"""Address -> a language model as a scorer: text -> likelihoods and written text. Servers, library models, GGUF files."""
