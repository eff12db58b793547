import { closeSync, openSync, readSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ModelReply, Script } from '../../src/app/demo/script.ts'
import type { Cli, Line } from '../../src/app/probe/cli.ts'
import { initialize, pipeHost } from '../../src/app/probe/pipe-host.ts'
import { promptEnds, stopReasons, subtypes, terminalReasons } from '../../src/claude/driver/ending-tables.ts'
import { type PinWorld, pinWorld } from '../support/pin-world.ts'
import { bothVersions, claudeBinary, claudeVersions } from '../support/real-claude.ts'

const tooLarge = { status: 413, type: 'request_too_large', message: 'too large' }
const replies: Record<string, ModelReply> = {
  end_turn: { text: 'A' },
  stop_sequence: { text: 'A', stopReason: 'stop_sequence' },
  pause_turn: { text: 'A', stopReason: 'pause_turn' },
  max_tokens: { text: 'A', stopReason: 'max_tokens' },
  refusal: { text: 'A', stopReason: 'refusal' },
  nothing: {},
  too_large: { error: tooLarge },
}
const bash = { toolUses: [{ name: 'Bash', input: { command: 'true' } }] }
const badValue = { toolUses: [{ name: 'StructuredOutput', input: { a: 'x' } }] }

const script: Script = ({ conversation: { userTexts } }) => {
  const asked = userTexts.findLast((text) => text in replies || text === 'tool' || text === 'value')!
  return asked === 'tool' ? bash : asked === 'value' ? badValue : replies[asked]!
}

/** What the tables of endings read of a result, and the CLI's name of an error in the line before it. */
function facts(lines: readonly Line[]): unknown[] {
  const { is_error, subtype, terminal_reason = '-', stop_reason } = lines.at(-1)! as Record<string, unknown>
  const { error } = lines.findLast(({ type }) => String(type) === 'assistant') ?? {}
  return [is_error, subtype, terminal_reason, stop_reason, ...(error ? [String(error)] : [])]
}

describe.each(claudeVersions)('the result of Claude Code %s', (version) => {
  const isNewer = version === '2.1.330'
  let world: PinWorld
  let cli: Cli
  const started = async (args: string[] = [], env: Record<string, string> = {}): Promise<Cli> => {
    const process = world.start({ answer: pipeHost().answer, args, env })
    await process.request(initialize)
    return process
  }
  beforeAll(async () => {
    world = await pinWorld(version, script)
    cli = await started()
  })
  afterAll(() => world[Symbol.asyncDispose]())

  test.each([
    ['end_turn', [false, 'success', 'completed', 'end_turn']],
    ['stop_sequence', [false, 'success', 'completed', 'stop_sequence']],
    ['pause_turn', [false, 'success', 'completed', 'pause_turn']],
    ['max_tokens', [true, 'success', isNewer ? 'api_error' : 'completed', 'stop_sequence', 'max_output_tokens']],
    ['refusal', [true, 'success', isNewer ? 'api_error' : 'completed', 'refusal', 'invalid_request']],
    ['nothing', [false, 'success', 'completed', 'end_turn']],
    ['too_large', [true, 'success', 'image_error', 'stop_sequence', 'invalid_request']],
    ['/cost', [false, 'success', '-', null]],
  ])('after %s', async (message, expected) => {
    const lines = await cli.turn(message)
    expect(facts(lines)).toEqual(expected)
    expect(Number(lines.at(-1)?.num_turns) === 0).toBe(message === '/cost')
  })

  test.each<[string, string[], Record<string, string>, string, unknown[]]>([
    ['a limit of steps', ['--max-turns', '1'], {}, 'tool', [true, 'error_max_turns', 'max_turns', 'tool_use']],
    [
      'a limit of cost',
      ['--max-budget-usd', '0.0001'],
      {},
      'tool',
      [true, 'error_max_budget_usd', isNewer ? 'budget_exhausted' : '-', 'tool_use'],
    ],
    [
      'a value that never meets its schema',
      ['--json-schema', '{"type":"object","properties":{"a":{"type":"number"}},"required":["a"]}'],
      {},
      'value',
      [true, 'error_max_structured_output_retries', isNewer ? 'structured_output_retry_exhausted' : '-', 'tool_use'],
    ],
    [
      'a full conversation that may not be compacted',
      [],
      { CLAUDE_CODE_BLOCKING_LIMIT_OVERRIDE: '10', DISABLE_COMPACT: '1', DISABLE_AUTO_COMPACT: '1' },
      'end_turn',
      [true, 'success', 'blocking_limit', 'stop_sequence', 'invalid_request'],
    ],
  ])('after %s', async (_, args, env, message, expected) => {
    const own = await started(args, env)
    expect(facts(await own.turn(message))).toEqual(expected)
    await own.kill()
  })
})

test('the tables have each value that the newest Claude Code knows, and no other', () => {
  const [newest] = bothVersions
  const program = new Program(claudeBinary(newest))
  const terminal = program.lists('["blocking_limit","rapid_refill_breaker"', 2)
  expect(Object.keys(terminalReasons).toSorted()).toEqual(terminal.flat().toSorted())
  const [ends = []] = program.lists('["blocked_by_hook","stopped_by_hook"', 1)
  expect(Object.keys(promptEnds)).toEqual(ends)
  const [errors = []] = program.lists('["error_during_execution","error_max_turns"', 1)
  expect(Object.keys(subtypes)).toEqual(['success', ...errors])
  const [stops = []] = program.lists('["end_turn","max_tokens","stop_sequence","tool_use"', 1)
  // The other two are of the CLI itself, for a tool that a hook deferred.
  const ofTheModel = Object.keys(stopReasons).filter((reason) => !reason.startsWith('tool_deferred'))
  expect(ofTheModel.toSorted()).toEqual(stops.toSorted())
})

/** The texts in the program of the CLI. */
class Program {
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  /** The list of words that begins so, and those that follow it. */
  lists(beginning: string, count: number): string[][] {
    const text = this.#after(beginning)
    return [...text.matchAll(/\[("\w+"(?:,"\w+")*)\]/g)]
      .slice(0, count)
      .map(([, words = '']) => words.split(',').map((word) => word.slice(1, -1)))
  }

  #after(beginning: string): string {
    const file = openSync(this.#path, 'r')
    const piece = Buffer.alloc(32 * 1024 * 1024)
    const kept = 4096
    try {
      for (let start = 0; ; start += piece.length - kept) {
        const length = readSync(file, piece, 0, piece.length, start)
        const at = piece.subarray(0, length).indexOf(beginning)
        if (at !== -1 && (at < piece.length - kept || length < piece.length))
          return piece.toString('latin1', at, Math.min(length, at + kept))
        if (length < piece.length) throw new Error(`the program has no ${beginning}`)
      }
    } finally {
      closeSync(file)
    }
  }
}
