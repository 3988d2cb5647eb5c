// The page of the console.

import { existsSync } from 'node:fs';
import type { Hono } from 'hono';
import { NotFoundError } from '../../core/index.ts';
import { Assets } from './assets.ts';
import type { Surface } from './route.ts';

/** The page of the console was not built. */
class NoConsole extends NotFoundError {}

/** Adds the page to an application; anybody may load it. */
export function addConsolePage(app: Hono<Surface>, consoleFolder: string | undefined): void {
  const assets = consoleFolder === undefined ? undefined : new Assets(consoleFolder);
  const page = (path: string, accepts: string | undefined): Response | undefined => {
    if (assets === undefined || consoleFolder === undefined || !existsSync(consoleFolder)) {
      throw new NoConsole('the console is not built', { hint: "run 'npm run build'" });
    }
    return assets.answer(path, /\bgzip\b/.test(accepts ?? ''));
  };
  app.get('/', (call) => call.redirect('/console/'));
  app.get('/console', (call) => call.redirect('/console/'));
  app.get('/console/*', (call) => {
    const path = call.req.path.slice('/console/'.length);
    return page(path, call.req.header('accept-encoding')) ?? call.notFound();
  });
}
