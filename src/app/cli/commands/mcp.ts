import { randomUUID } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { invalidRequest, type JsonRpcMessage, parseError } from '../../../adapters/client/json-rpc.ts'
import { maxLineBytes } from '../../../adapters/client/line-channel.ts'
import { systemClock } from '../../../base/lib/clock.ts'
import { LineSplitter } from '../../../base/lib/line-splitter.ts'
import { createLog } from '../../../base/lib/log.ts'
import { irisHome } from '../../../platform/config/home.ts'
import { Bridge } from '../bridge/bridge.ts'
import { DaemonLink } from '../bridge/daemon-link.ts'
import { Inbox } from '../bridge/inbox.ts'
import { pushLateAnswers } from '../bridge/late-answers.ts'
import { configDirectoryOf, isInOpenSession, isPersons } from '../bridge/living-session.ts'
import { SessionQuestions, type SessionQuestionsParts } from '../bridge/session-questions.ts'
import type { CommandContext } from '../context.ts'
import { ensureDaemon } from '../daemon-control.ts'
import { findDaemon } from '../find-daemon.ts'
import { processTag } from '../inside-agent.ts'
import type { Given } from '../table/spec.ts'

/** How long a call waits for a daemon that is gone, milliseconds. */
const waitMs = 60_000

/** The MCP server that a client starts: serves JSON-RPC on stdin and stdout until stdin ends. */
export async function mcp(given: Given): Promise<void> {
  const { context, env } = given
  const home = irisHome(env)
  const log = createLog({ least: () => (env['IRIS_LOG'] === 'debug' ? 'debug' : 'info') }).for('bridge')
  const link = new DaemonLink({
    ensure: () => ensureDaemon({ home, env, waitMs, spawn: context.spawnDaemon }),
    find: () => findDaemon(home),
  })
  const directory = projectDirectory(context)
  const tag = env[processTag]
  // An agent gets its answers in its own turn, so it needs no name here. A client that does not name its session counts
  // as one session while it runs.
  const console = tag === undefined ? env['CLAUDE_CODE_SESSION_ID'] || randomUUID() : undefined
  const shareName = `bridge-${randomUUID()}`
  const send = (message: JsonRpcMessage): void => void context.stdout.write(`${JSON.stringify(message)}\n`)
  const questions = questionsFor(given, { link, console, directory, shareName, send, newId: randomUUID, log })
  const bridge = new Bridge({
    link,
    directory,
    tag,
    console,
    shareName,
    send,
    questions,
    log,
    clock: systemClock,
    newId: randomUUID,
  })
  // Starts the daemon before the first request; each request reports its errors itself.
  link.current().catch(() => {})
  const over = new AbortController()
  const inbox = Inbox.of(env, context.parentPid)
  if (inbox && console) {
    void pushLateAnswers({ link, inbox, console, directory, shareName, newId: randomUUID }, over.signal)
  }
  await listen(context, bridge)
  over.abort()
  bridge.close()
}

type OfBridge = Omit<SessionQuestionsParts, 'console' | 'configDirectory' | 'isOpen'>

/** Undefined for agents and programs: no person can be asked there. */
function questionsFor(
  { context, env }: Given,
  { console, ...parts }: OfBridge & { readonly console: string | undefined },
): SessionQuestions | undefined {
  if (console === undefined || !isPersons(env)) return undefined
  const isOpen = (): boolean => isInOpenSession(env, context.parentPid)
  return new SessionQuestions({ ...parts, console, configDirectory: configDirectoryOf(env), isOpen })
}

function listen(context: CommandContext, bridge: Bridge): Promise<void> {
  const lines = new LineSplitter({
    maxLineBytes,
    onLine: (line) => bridge.receive(line),
    onOversize: (bytes) => bridge.refuse(invalidRequest, `A line of ${bytes} bytes is too long.`),
    onInvalid: () => bridge.refuse(parseError, 'Parse error: this line is not UTF-8.'),
  })
  return new Promise((resolve) => {
    context.stdin.on('data', (chunk: Buffer) => lines.push(chunk))
    for (const event of ['end', 'close', 'error']) context.stdin.on(event, () => resolve())
    // A client that no longer reads has ended too.
    context.stdout.on('error', () => resolve())
  })
}

/** Claude Code names its project in a variable; other clients start the bridge in the project's directory. */
function projectDirectory(context: CommandContext): string | undefined {
  for (const directory of [context.env['CLAUDE_PROJECT_DIR'], context.cwd]) {
    try {
      if (directory) return realpathSync(directory)
    } catch {
      // Missing or unreadable: try the next one.
    }
  }
  return undefined
}
