// The names of the programs in the table of executors, so that it need not be loaded to know who is not in it.
// INVARIANT: a test holds the list against the table.

export const executorNames =
  'bundle bundler cabal cargo composer conda cpan easy_install gem hatch mamba micromamba mix opam pdm pipenv pipx poetry rustup rvm rye stack swift uv';
