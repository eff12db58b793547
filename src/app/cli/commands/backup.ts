import { refuseAgents } from '../install/refuse-agents.ts'
import { localTime } from '../moment.ts'
import type { Given } from '../table/spec.ts'

/** Writes all of this Iris into one file. */
export async function backup({ context, env, options, json, daemon: { home } }: Given): Promise<void> {
  await refuseAgents(context, 'make a backup')
  const file = context.pathOf(String(options['file']))
  const made = await home.backup(env, file, options['withTokens'] === true)
  if (json) return context.sayJson({ file, ...made })
  context.say(`${file} has ${made.files} files (${megabytes(made.bytes)}).`)
  if (made.leftOut.length > 0) {
    context.note(
      `These files may hold credentials and are not in it: ${made.leftOut.join(', ')}. "--with-tokens" includes them.`,
    )
  }
}

/** Restores a home from a backup; prints what was running or waiting when the backup was made. */
export async function restore({ context, env, options, json, daemon: { home } }: Given): Promise<void> {
  await refuseAgents(context, 'restore a backup')
  const made = await home.restore(env, context.pathOf(String(options['file'])))
  if (json) return context.sayJson(made)
  context.say(
    `${made.home} was restored to the state of ${made.from} at ${localTime(made.backedUpAt)}: ${made.files} files (${megabytes(made.bytes)}).`,
  )
  if (made.otherStore !== null) {
    context.note(
      `Its config.yaml names another store (database.path: ${made.otherStore}). Remove that line, so that Iris uses the restored store.`,
    )
  }
  if (made.left > 0)
    context.say('Messages ran or waited in it at that time. "iris adopt" shows them, and what you can do.')
  else context.say('"iris start" starts it.')
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}
