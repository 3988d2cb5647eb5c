// The names of the programs in the table of executors, so that it need not be loaded to know who is not in it.
// INVARIANT: a test holds the list against the table.

export const executorNames =
  'asdf bundle bundler cabal cargo composer conda cpan easy_install fnm gem hatch lerna mamba micromamba mise mix nvm opam pdm pipenv pipx poetry pyenv rbenv rustup rvm rye stack swift uv volta';
