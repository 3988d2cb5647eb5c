// No credential of an address reaches the configuration.

import { expect, it } from 'vitest';
import { loadTomlParser, readToml } from '../config/toml.ts';
import { withoutCredentials } from './source-section.ts';

it.each([
  ['postgres://reader:pw@h:5432/shop', 'postgres://reader:${SHOP_PASSWORD}@h:5432/shop', ['pw']],
  ['postgres://reader@h/shop', 'postgres://reader@h/shop', []],
  ['postgres://h/shop', 'postgres://h/shop', []],
  ['postgres://u:p@ss:w@h/shop', 'postgres://u:${SHOP_PASSWORD}@h/shop', ['p@ss:w']],
  [
    'postgres://u:%40%2F@h/shop?sslmode=require',
    'postgres://u:${SHOP_PASSWORD}@h/shop?sslmode=require',
    ['%40%2F'],
  ],
  [
    'postgres:///shop?host=/run&user=a&password=p1',
    'postgres:///shop?host=/run&user=a&password=${SHOP_PASSWORD}',
    ['p1'],
  ],
  [
    'postgres://h/shop?sslpassword=x1&sslkey=/k',
    'postgres://h/shop?sslpassword=${SHOP_SSLPASSWORD}&sslkey=/k',
    ['x1'],
  ],
  ['https://h/graphql?api_key=k1&v=2', 'https://h/graphql?api_key=${SHOP_API_KEY}&v=2', ['k1']],
  ['https://h/a?access_token=t1', 'https://h/a?access_token=${SHOP_ACCESS_TOKEN}', ['t1']],
  ['/srv/${odd}/shop.db', '/srv/$${odd}/shop.db', []],
])('%s', async (url, text, values) => {
  const clean = withoutCredentials(url, 'shop');
  expect(clean.text).toBe(text);
  expect(Object.values(clean.variables)).toEqual(values);
  // What the configuration makes of it is the address again.
  const read = readToml(await loadTomlParser(), `url = ${JSON.stringify(clean.text)}`, clean.variables);
  expect('value' in read && read.value['url']).toBe(url);
});

it('makes the name of a variable from any name', () => {
  const { variables } = withoutCredentials('mysql://a:b@h/x', '1-my.shop');
  expect(Object.keys(variables)).toEqual(['_1_MY_SHOP_PASSWORD']);
});
