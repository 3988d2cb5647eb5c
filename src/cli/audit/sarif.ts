// An audit as SARIF 2.1.0: each finding with the way that the value takes, and with the check that would do as a fix.

import { type AuditFinding, type PathStep, rules } from '../../auditor/index.ts';
import { artifact, sarifHead } from '../sarif.ts';
import { version } from '../version.ts';

/** A finding with what tells it from others when lines move. */
export interface Fingerprinted extends AuditFinding {
  readonly fingerprint: string;
}

export interface SarifAudit {
  readonly findings: readonly Fingerprinted[];
  readonly unread: readonly { readonly file: string; readonly reason: string }[];
}

export function auditSarif({ findings, unread }: SarifAudit): object {
  const ids = ['AG', ...rules.map(({ id }) => id)];
  const described = [
    { id: 'AG', shortDescription: { text: 'What could not be followed' } },
    ...rules.map(({ id, title }) => ({
      id,
      shortDescription: { text: title },
      properties: { tags: ['security', 'agent-guardrails'] },
    })),
  ];
  return {
    ...sarifHead,
    runs: [
      {
        columnKind: 'utf16CodeUnits',
        tool: { driver: { name: 'Sallyport', version, rules: described } },
        results: findings.map((finding) => result(finding, ids.indexOf(finding.rule))),
        invocations: [
          {
            executionSuccessful: unread.length === 0,
            toolExecutionNotifications: unread.map(({ file, reason }) => ({
              level: 'error',
              message: { text: `Not audited: ${reason}.` },
              locations: [{ physicalLocation: { artifactLocation: artifact(bytes(file)) } }],
            })),
          },
        ],
      },
    ],
  };
}

function result(finding: Fingerprinted, ruleIndex: number): object {
  const { rule, answer, message, path, fix, fingerprint, suppressed } = finding;
  return {
    ruleId: rule,
    ruleIndex,
    level: answer === 'violated' ? 'error' : 'note',
    kind: answer === 'violated' ? 'fail' : 'review',
    message: { text: message },
    locations: [location(finding)],
    partialFingerprints: { 'sallyport/v1': fingerprint },
    ...(path.length === 0 ? {} : { codeFlows: [{ threadFlows: [{ locations: path.map(flowStep) }] }] }),
    ...(fix === '' ? {} : { fixes: [fixOf(finding)] }),
    ...(suppressed === undefined ? {} : { suppressions: [{ kind: 'inSource', justification: suppressed }] }),
  };
}

/** A check to put in before the line; its names are examples. */
function fixOf({ file, line, column, fix, excerpt }: AuditFinding): object {
  const indent = ' '.repeat(Math.max(0, column - 1));
  const text = `${fix.split('\n').join(`\n${indent}`)}\n${indent}`;
  void excerpt;
  return {
    description: { text: 'An example of the check that is missing; adapt its names.' },
    artifactChanges: [
      {
        artifactLocation: artifact(bytes(file)),
        replacements: [
          {
            deletedRegion: { startLine: line, startColumn: column, endLine: line, endColumn: column },
            insertedContent: { text },
          },
        ],
      },
    ],
  };
}

function location({ file, line, column, excerpt }: AuditFinding): object {
  return {
    physicalLocation: {
      artifactLocation: artifact(bytes(file)),
      region: { startLine: line, startColumn: column, snippet: { text: excerpt } },
    },
  };
}

function flowStep({ file, line, column, what }: PathStep): object {
  return {
    location: {
      physicalLocation: {
        artifactLocation: artifact(bytes(file)),
        region: { startLine: line, startColumn: column },
      },
      message: { text: what },
    },
  };
}

function bytes(path: string): string {
  return Buffer.from(path).toString('latin1');
}
