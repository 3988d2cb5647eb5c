// The names of the programs in the table of executors, so that it need not be loaded to know who is not in it.
// INVARIANT: a test holds the list against the table.

export const executorNames =
  'Mail asdf at awk batch bpftrace bundle bundler bwrap cabal capsh cargo chezmoi choom chrt composer conda cpan cpulimit crontab csvtool debugfs direnv dmsetup doas dtruss easy_install ed elvis emacs emacsclient enscript evim ex exiftool fnm fzf gawk gdb gem gosu gs gvim hatch ionice lerna less lldb logsave ltrace lxc-attach mail mailx mamba man mawk micromamba mise mix more most nawk neofetch newgrp nex nix nsenter nvi nvim nvm opam original-awk pandoc pdm perf pipenv pipx pkexec poetry prlimit pyenv rbenv red rpm rpmspec run-parts runuser rustup rview rvim rvm rye sbatch setpriv sg ssh-agent stack strace su su-exec sudo taskset timeit ts uv vi view vile vim vim.athena vim.basic vim.gtk3 vim.nox vim.tiny vimdiff vimx volta';
