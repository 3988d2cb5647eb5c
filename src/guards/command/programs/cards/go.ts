// Go.

import { beginningOf, literal, write } from '../../tools/tool.ts';
import { runsElsewhere } from '../builds.ts';
import type { Card } from '../card.ts';
import { fact } from '../phrases.ts';
import { installs } from '../project-managers.ts';
import { table } from '../tables.ts';

const go: Card = table({
  names: 'go',
  manner: { wholeWords: true },
  options:
    'C= o= exec= toolexec= vettool= tags= p= asmflags= buildmode= compiler= gccgoflags= gcflags= installsuffix= ldflags= mod= modfile= overlay= pkgdir= run= bench= count= cpu= timeout= benchtime= parallel= fuzz= fuzztime= coverprofile= coverpkg= cpuprofile= memprofile= blockprofile= trace= outputdir= skip= shuffle= list= f=',
  readings:
    'C o exec toolexec vettool tags p asmflags buildmode compiler gccgoflags gcflags installsuffix ldflags mod modfile overlay pkgdir run bench count cpu timeout benchtime parallel fuzz fuzztime coverprofile coverpkg cpuprofile memprofile blockprofile trace outputdir skip shuffle list f',
  verbs: { clean: 'cache modcache testcache fuzzcache', env: 'w u', list: 'u f=', run: '+' },
  verbReadings: {
    clean: '; cache modcache testcache fuzzcache',
    env: '; w u',
    list: 'f; u',
  },
  does: [
    installs('get | install'),
    ['package (install) reversible', 'mod | work'],
    [
      'package (clean) reversible',
      'clean --cache | clean --modcache | clean --testcache | clean --fuzzcache',
    ],
    ['run <next> (package) from network', 'run *@*'],
    ['write ~/.config/go/env (edit)', 'env --w | env --u'],
  ],
  rest: 'inert (project)',
  alone: 'inert (project)',
  examples: {
    'go <get install> a': 'package a (install) reversible',
    'go <get install mod work>': 'package (install) reversible',
    'go <mod work> a': 'package (install) reversible',
    'go <clean -cache | clean -modcache | clean -testcache | clean -fuzzcache> a':
      'package (clean) reversible',
    'go run x@x a': 'run a (package) from network',
    'go <env -w | env -u> a': 'write ~/.config/go/env (edit)',
    'go test': 'inert (project)',
    go: 'inert (project)',
  },
  facts: [
    fact({
      what: 'starts programs that its options name',
      says: 'run <--exec/toolexec/vettool> (helper)',
      examples: {
        hit: {
          'go <run test> -exec sudo a': 'run sudo (helper)',
          'go build -toolexec=a': 'run a (helper)',
          'go vet -vettool a': 'run a (helper)',
        },
        miss: ['go test -run a'],
      },
    }),
    {
      what: 'runs code from elsewhere',
      effects: runsElsewhere,
      examples: {
        hit: { 'go run /tmp/a.go': 'run /tmp/a.go (script)' },
        miss: ['go run .', 'go vet /tmp/a.go'],
      },
    },
    {
      what: 'writes what it builds',
      effects: (call, given) =>
        beginningOf(given.operands[0] ?? literal('')) === 'build'
          ? given.all('o').flatMap((path) => write(call, path, { detail: 'overwrite' }))
          : [],
      examples: {
        hit: { 'go build -o /tmp/a .': 'write /tmp/a (overwrite)' },
        miss: ['go build .', 'go vet -o a'],
      },
    },
  ],
});

export const cards = [go];
