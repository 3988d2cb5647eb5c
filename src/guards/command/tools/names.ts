// The names of the programs that each family of tools knows, so that a family need not be loaded to be found.
// INVARIANT: no name stands in two families; a test holds each list against its family.

export const namesIn = {
  persistence: 'at atq atrm batch crontab fcrontab mail mailx run-parts',
  users:
    'aa-complain aa-disable aa-status aa-teardown addgroup adduser age apparmor_parser auditctl authconfig capsh certbot chage chfn chpasswd chsh cmdkey csrutil delgroup deluser doas dscl dseditgroup getenforce getsebool gosu gpasswd gpg gpg-agent gpg2 gpgconf gpgv groupadd groupdel groupmems groupmod grpconv keyctl mkcert net newgrp newusers openssl pam-auth-update passwd pkexec pw pwconv pwunconv runuser secret-tool security semanage sestatus setenforce setpriv setsebool sg spctl ssh-add ssh-agent ssh-keygen su su-exec sudo sudoedit sysadminctl update-ca-certificates update-ca-trust useradd userdel usermod vigr vipw visudo',
  databases:
    'alembic artisan atlas beeline clickhouse clickhouse-client clickhouse-local clusterdb cockroach console cqlsh createdb createuser dbmate dbt diesel django-admin drizzle-kit dropdb dropuser duckdb elasticdump etcdctl flyway goose hive influx initdb isql keydb-cli knex liquibase litecli manage.py mariadb mariadb-admin mariadb-dump migrate mongo mongod mongodump mongoexport mongoimport mongorestore mongosh mssql mycli mysql mysql_secure_installation mysqladmin mysqlcheck mysqld mysqldump mysqlimport mysqlshow pg_basebackup pg_ctl pg_dropcluster pg_dump pg_dumpall pg_isready pg_resetwal pg_restore pgbench pgcli presto prisma psql rails rake redis-cli redis-server reindexdb sequelize sequelize-cli spark-sql sqlcmd sqlite sqlite3 sqlplus sqlx trino typeorm vacuumdb valkey-cli',
  cloud:
    'act ansible ansible-doc ansible-inventory ansible-lint ansible-playbook ansible-vault cap cdk cdktf cf chef-client circleci consul copilot eas expo fastly gh gh-pages gitlab-ctl gitlab-rake gitlab-runner glab kamal nomad packer pulumi puppet salt salt-call sam serverless shopify sls sst supabase surge terraform terragrunt tflint tfsec tofu',
  containers:
    'VBoxManage argocd colima crane crictl ctr eksctl firejail flux incus istioctl k3d k3s k9s kind kops kubeadm kubectx kubens kustomize limactl lxc lxc-destroy lxc-ls lxc-start lxc-stop machinectl microk8s minikube multipass pct qm skaffold skopeo stern tilt vagrant vboxmanage velero virsh',
  packages:
    'add-apt-repository ansible-galaxy apk apt apt-cache apt-config apt-file apt-get apt-key apt-mark aptitude asdf brew bundle bundler cabal cargo carthage changeset choco composer conan conda corepack cpan cpanm dart debconf dnf dnf5 dotnet dpkg dpkg-deb dpkg-query dpkg-reconfigure easy_install emerge eopkg fastlane flatpak flit flutter fnm gem go gradle gradlew hatch helmfile installer jsr lerna luarocks makepkg mamba microdnf micromamba mise mix mvn mvnw n nala ncu nix nix-build nix-collect-garbage nix-env nixos-rebuild npm-check-updates nuget nvm opam opkg ovsx pacman paru pdm pipenv pipx pkg pkgutil pod poetry port pub pyenv rbenv rebar3 release-it rpm rpm-ostree rustup rvm rye sbt scoop sdk sdkmanager semantic-release snap softwareupdate stack swift tdnf twine update-alternatives uv vcpkg virtualenv volta vsce winget xbps xbps-install xbps-remove yay yum yum-config-manager zypper',
  network:
    'GET HEAD POST ab aria2c arp arp-scan arping arptables axel brctl chisel cloudflared delv dig dog drill dumpcap ebtables elinks ethtool fail2ban-client fetch ffuf finger firewall-cmd fping ftp ftps gobuster grpcurl hey host hping3 http http-server https hydra ifconfig ifdown ifup ip ip6tables ip6tables-restore ip6tables-save ipfw ipset iptables iptables-legacy iptables-nft iptables-restore iptables-save iw iwconfig lftp links links2 live-server localtunnel lt lwp-download lwp-request lynx masscan mtr nc nc.openbsd nc.traditional ncat ncftp netcat netplan netsh networksetup nft ngrok nikto nmap nmcli nslookup nsupdate openvpn pfctl ping ping6 rclone resolvectl rfkill rlogin route rsh rustscan serve sftp siege smbclient socat sqlmap ssh-keyscan sshuttle systemd-resolve tailscale tc tcpdump telnet tftp tnftp tracepath traceroute traceroute6 tshark ufw vegeta w3m websocat wg wg-quick whois wireshark wpa_cli wrk wscat xh xhs youtube-dl yt-dlp zmap',
  processes:
    'apache2ctl apachectl chkconfig chronyc depmod dmesg fkill fuser halt haproxy hostnamectl hwclock init initctl insmod invoke-rc.d journalctl kexec kill kill-port killall killall5 kmod launchctl localectl loginctl logrotate modprobe monit nginx ntpdate pkill pm2 poweroff rc-service rc-update rcctl reboot rmmod sc service shutdown skill stress stress-ng stty supervisorctl sv sysctl systemctl systemd-tmpfiles taskkill telinit timedatectl tkill ttyecho update-rc.d wall write xkill',
  attach:
    'austin bpftool bpftrace cgdb choom chrt cpulimit criu csysdig dlv dtrace dtruss eu-stack frida frida-trace gcore gdb gdb-multiarch gstack ionice jcmd jinfo jmap jstack lldb ltrace nsenter perf prlimit ps pstack py-spy rbspy renice reptyr stap strace sysdig taskset trace-cmd',
  disks: 'debugfs dmsetup',
  files: 'split',
  readers:
    'ack ag awk bat batcat delta ed emacs emacsclient enscript ex exiftool fd fdfind gawk git-grep gs gsort less logsave mawk more most nawk nvim pandoc red rg sort ts vi view vim vimdiff',
} as const;

export type Family = keyof typeof namesIn;
