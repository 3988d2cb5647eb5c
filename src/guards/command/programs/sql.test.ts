// Words at the start of SQL statements.

import { expect, it } from 'vitest';
import { deedsOfSql } from './sql.ts';

it.each([
  ['SELECT 1', ['read']],
  ['select 1; drop table users', ['read', 'drop']],
  ['DROP DATABASE IF EXISTS a;', ['drop']],
  ['/* x */ DrOp /**/ TABLE t', ['drop']],
  ['/*!50000 DROP TABLE t */', ['drop']],
  ['-- drop table t\nselect 1', ['read']],
  ["select 'drop table t; delete from x'", ['read']],
  ['TRUNCATE orders', ['truncate']],
  ['DELETE FROM users', ['delete-all']],
  ['delete from users where id = 1', ['write']],
  ['delete from users where 1=1', ['delete-all']],
  ['UPDATE t SET a = 1', ['write-all']],
  ['UPDATE t SET a = 1 WHERE b = 2', ['write']],
  ['ALTER TABLE t DROP COLUMN a', ['drop']],
  ['ALTER TABLE t ALTER COLUMN a DROP NOT NULL', ['write']],
  ['GRANT ALL ON *.* TO x', ['admin']],
  ['WITH d AS (DELETE FROM t) SELECT 1', ['delete-all']],
  ["COPY t TO PROGRAM 'sh'", ['run']],
  ["SELECT 1 INTO OUTFILE '/tmp/x'", ['file']],
  ['\\! rm -rf /', ['run']],
  ['.shell ls', ['run']],
  ['.tables', ['read']],
  ['EXPLAIN DELETE FROM t', ['read']],
  ['', []],
])('%s', (text, deeds) => expect(deedsOfSql(text)).toEqual(deeds));
