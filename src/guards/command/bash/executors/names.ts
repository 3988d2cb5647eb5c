// The names of the programs in the table of executors, so that it need not be loaded to know who is not in it.
// INVARIANT: a test holds the list against the table.

export const executorNames =
  'asdf bundle bundler bwrap cabal cargo chezmoi composer conda cpan csvtool direnv easy_install fnm fzf gem hatch lerna lxc-attach mamba man micromamba mise mix neofetch nix nvm opam pdm pipenv pipx poetry pyenv rbenv rpm rpmspec rustup rvm rye sbatch stack timeit uv volta';
