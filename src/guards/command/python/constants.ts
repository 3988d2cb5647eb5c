// Attributes of Python's libraries that are plain values.

import { number, type Thing, text } from '../script/things.ts';

const alphabetLower = 'abcdefghijklmnopqrstuvwxyz';

/** Attributes of libraries that are plain values. */
export const values: Readonly<Record<string, Thing>> = {
  'string.ascii_lowercase': text(alphabetLower),
  'string.ascii_uppercase': text(alphabetLower.toUpperCase()),
  'string.ascii_letters': text(alphabetLower + alphabetLower.toUpperCase()),
  'string.digits': text('0123456789'),
  'string.hexdigits': text('0123456789abcdefABCDEF'),
  'string.punctuation': text('!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'),
  'os.sep': text('/'),
  'os.linesep': text('\n'),
  'os.name': text('posix'),
  'os.curdir': text('.'),
  'os.pardir': text('..'),
  'os.devnull': text('/dev/null'),
  'sys.platform': text('linux'),
  'os.O_RDONLY': number(0),
  'os.O_WRONLY': number(1),
  'os.O_RDWR': number(2),
  'os.O_CREAT': number(64),
  'os.O_EXCL': number(128),
  'os.O_TRUNC': number(512),
  'os.O_APPEND': number(1024),
  'stat.S_IRWXU': number(0o700),
  'stat.S_IRUSR': number(0o400),
  'stat.S_IWUSR': number(0o200),
  'stat.S_IXUSR': number(0o100),
  'stat.S_IRWXG': number(0o070),
  'stat.S_IRGRP': number(0o040),
  'stat.S_IWGRP': number(0o020),
  'stat.S_IXGRP': number(0o010),
  'stat.S_IRWXO': number(0o007),
  'stat.S_IROTH': number(0o004),
  'stat.S_IWOTH': number(0o002),
  'stat.S_IXOTH': number(0o001),
  'stat.S_ISUID': number(0o4000),
  'stat.S_ISGID': number(0o2000),
  'sys.executable': text('python3'),
};
