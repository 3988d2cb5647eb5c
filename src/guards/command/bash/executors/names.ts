// The names of the programs in the table of executors, so that it need not be loaded to know who is not in it.
// INVARIANT: a test holds the list against the table.

export const executorNames =
  'Mail asdf at awk batch bundle bundler bwrap cabal cargo chezmoi composer conda cpan crontab csvtool debugfs direnv dmsetup easy_install ed elvis emacs emacsclient enscript evim ex exiftool fnm fzf gawk gem gs gvim hatch lerna less logsave lxc-attach mail mailx mamba man mawk micromamba mise mix more most nawk neofetch nex nix nvi nvim nvm opam original-awk pandoc pdm pipenv pipx poetry pyenv rbenv red rpm rpmspec run-parts rustup rview rvim rvm rye sbatch stack swift timeit ts uv vi view vile vim vim.athena vim.basic vim.gtk3 vim.nox vim.tiny vimdiff vimx volta';
