import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sessionRefusal } from '../../claude/driver/session-refusal.ts'
import { type Cli, difference } from './cli.ts'
import type { Play, Scene } from './scene.ts'

const longAgo = 45 * 24 * 3600

/** Conversations whose process has ended. */
export const comingBack: Scene = {
  clauses: ['session.taken', 'session.unknown', 'session.resume', 'session.copy', 'session.kept'],
  script: ({ conversation }) => ({ text: conversation.userTexts.join(' | ') }),
  async play(play) {
    const { world, check } = play
    const [sessionId, copyId, takenId] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()]
    const old = oldTranscript(world.home)
    const first = play.start({ sessionId })
    await first.turn('first')
    await play.appears(() => world.transcript(sessionId).length >= 2, 'a transcript of the first answer')
    await first.kill()
    for (const id of [copyId, takenId]) copyOf(play, sessionId, id)
    // More processes at once would slow each other down.
    await Promise.all([
      check('session.taken', () => refused(play, play.start({ sessionId: takenId }))),
      check('session.unknown', () => refused(play, play.start({ sessionId: crypto.randomUUID(), resume: true }))),
    ])
    await Promise.all([
      check('session.resume', () => takenUp(play.start({ sessionId, resume: true }), sessionId)),
      check('session.copy', () => takenUp(play.start({ sessionId: copyId, resume: true }), copyId)),
    ])
    await check('session.kept', async () => {
      // The CLI writes this file after a sweep, at most once a day.
      await play.appears(() => existsSync(join(world.home, '.claude', '.last-cleanup')), 'sweep of old transcripts')
      return existsSync(old) ? undefined : 'it deleted one of 45 days'
    })
  },
}

function oldTranscript(home: string): string {
  const directory = join(home, '.claude', 'projects', '-elsewhere')
  const file = join(directory, `${crypto.randomUUID()}.jsonl`)
  mkdirSync(directory, { recursive: true })
  writeFileSync(file, '{"type":"user"}\n')
  const then = Date.now() / 1000 - longAgo
  utimesSync(file, then, then)
  return file
}

/** Copies a transcript as Iris does for a fork. */
function copyOf({ world }: Play, sessionId: string, copyId: string): void {
  const path = world.transcriptFile(sessionId)!
  writeFileSync(path.replace(sessionId, copyId), readFileSync(path, 'utf8').replaceAll(sessionId, copyId))
}

async function refused({ ended }: Play, cli: Cli): Promise<string | undefined> {
  cli.say('hello')
  const answered = cli.line({ type: 'result', is_error: false }).then(
    () => 'an answer',
    () => ended(cli),
  )
  const how = await Promise.race([ended(cli), answered])
  if (how !== 'exit 1') return `it ended with ${how}`
  return sessionRefusal(cli.stderr)?.kind === 'lost'
    ? undefined
    : `it said ${JSON.stringify(cli.stderr.trim().slice(0, 200))}`
}

async function takenUp(cli: Cli, sessionId: string): Promise<string | undefined> {
  const result = (await cli.turn('second')).at(-1)
  return difference(result, { result: 'first | second', session_id: sessionId })
}
