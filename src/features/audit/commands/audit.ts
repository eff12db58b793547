import type { Output } from '../../../adapters/client/tool-call.ts'
import { ownerCall } from '../../../app/cli/call.ts'
import { momentText } from '../../../app/cli/moment.ts'
import { isOffline } from '../../../app/cli/offline.ts'
import type { Given } from '../../../app/cli/table/spec.ts'
import { visible } from '../../../base/lib/visible.ts'
import { IrisError } from '../../../base/protocol/error.ts'

type Entry = Output<'list_audit'>['entries'][number]
type Verdict = Output<'verify_audit'>

export async function audit({ context, env, input, json, daemon: { offline } }: Given): Promise<void> {
  const page = (await isOffline(env)) ? await offline.audit(env, input) : await ownerCall(context, 'list_audit', input)
  if (json) context.sayJson(page)
  else for (const line of auditLines(page)) context.say(line)
}

/**
 * Sorts by time and not by sequence number, because an entry that waited for the store has a later number. The newest
 * is last, just above the prompt.
 */
function auditLines({ entries }: Output<'list_audit'>): readonly string[] {
  return entries.length === 0
    ? ['Nothing is recorded.']
    : entries.toSorted((a, b) => a.at - b.at || a.sequence - b.sequence).map(lineOf)
}

/** Verifies the chain. Throws `audit_broken` when it is broken, so that a script sees an exit code. */
export async function verifyAudit({ context, env, input, json, daemon: { offline } }: Given): Promise<void> {
  const isAlone = await isOffline(env)
  const verdict = isAlone ? await offline.verifyAudit(env, input) : await ownerCall(context, 'verify_audit', input)
  if (json) context.sayJson(verdict)
  else for (const line of verdictLines(verdict)) context.say(line)
  if (!verdict.whole) throw broken(verdict)
}

function lineOf({ at, actor, action, subject, decision, detail }: Entry): string {
  const details = Object.keys(detail).length === 0 ? '' : `  ${JSON.stringify(detail)}`
  return visible(`${momentText(at)}  ${actor}  ${action}  ${subject}  ${decision ?? ''}${details}`.trimEnd())
}

function verdictLines({ entries, head, breaks, whole }: Verdict): string[] {
  const explained = breaks.flatMap(({ sequence, explainedBy }) =>
    explainedBy === null
      ? []
      : [`Some entries before entry ${sequence} were lost when the store was damaged: see entry ${explainedBy}.`],
  )
  if (head === null) return ['The audit is empty.']
  return [
    ...(whole
      ? [entries === 1 ? 'The only entry is intact.' : `All ${entries} entries are intact, and none is missing.`]
      : []),
    ...explained,
    `Head: ${head.hash} (entry ${head.sequence}, ${momentText(head.at)}).`,
    'Note it where this machine cannot change it: "iris audit verify --head <hash>" later checks whether it is still there.',
  ]
}

function broken({ breaks, headFound }: Verdict): IrisError {
  const first = breaks.find(({ explainedBy }) => explainedBy === null)
  const what = first ? brokenAt(first) : 'The noted head is not in the audit: it was removed, with entries before it.'
  const more = first && headFound === false ? " The audit doesn't contain the noted head either." : ''
  return new IrisError(
    'audit_broken',
    `${what}${more}`,
    'Something other than Iris has written to the store. Compare it with a copy of data/team-sessions.db that you trust.',
  )
}

function brokenAt({ sequence, problem }: Verdict['breaks'][number]): string {
  if (problem === 'changed') return `Entry ${sequence} of the audit was changed.`
  return `Entry ${sequence} of the audit doesn't follow from the one before it: something was removed, inserted, moved or changed there.`
}
