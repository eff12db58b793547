import { type Argument, type Command, createArgument, createOption, InvalidArgumentError, type Option } from 'commander'
import { durationIn, withoutUnit } from '../../../base/lib/duration.ts'
import { isRecord } from '../../../base/lib/is-record.ts'
import type { Field, OfferedOperation } from './operations-offered.ts'
import { timeIn } from './time-words.ts'

interface Offered {
  readonly operation: OfferedOperation
  readonly places: Readonly<Record<string, string>>
  readonly without: readonly string[]
  /** Rewrites a description for people at a terminal: models call operations, people type commands. */
  readonly asTyped: (text: string) => string
}

/** Option names that differ from the field's name. They are the same in every command. */
const flags: Readonly<Record<string, string>> = { fromTeam: 'from', toTeam: 'to' }
/** Descriptions for people, where the contract's text for models does not fit a terminal. */
const toldHere: Readonly<Record<string, string>> = {
  fromTeam: 'Who asks: a team, or you. Default: the team of this directory, else you',
  sessionId: 'The id of the conversation, or its beginning',
  timeZone: 'The time zone of --at, such as Europe/Berlin. Default: that of this machine',
  every: 'Repeat at this interval. Without --at, the first is sent after one interval',
  whenBusy: 'What to do if the team is still working on an earlier message of yours. Default: queue',
  budget:
    'Limits for the message and everything it causes, such as {"time":"5m"}. They can only tighten existing limits',
  timeout: 'How long to wait: 30s, 5m, or milliseconds. 0: until it ends. -1: not at all',
  since: 'Start of the period: 2h or 3d ago, or a time such as 2026-11-22T10:00',
  until: 'End of the period, in the same form',
}
/** Options with a `--no-` form: on, off and absent have three different meanings. */
const negatable = new Set(['awake'])
/** A command is never a repeated call, so it needs no key. */
const neverOffered = new Set(['idempotencyKey'])
const moments = new Set(['since', 'until'])

/**
 * Adds arguments and options for an operation's input; returns a function that builds the input from the typed words.
 */
export function offerInput(command: Command, offered: Offered): (typed: readonly unknown[]) => Record<string, unknown> {
  const fields = fieldsOf(offered)
  const placed = Object.entries(offered.places).map(([name, word]) => {
    const field = fields.find((each) => each.name === name) ?? {
      name,
      type: undefined,
      choices: undefined,
      description: '',
    }
    command.addArgument(argumentOf(field, word))
    return name
  })
  const asOptions = fields.filter(
    ({ name }) => !placed.includes(name) && !offered.without.includes(name) && !neverOffered.has(name),
  )
  const read = asOptions.map((field) => {
    const options = optionsOf(field)
    for (const option of options) command.addOption(option)
    return [field.name, options[0]!.attributeName()] as const
  })
  return (typed) => {
    const options = command.optsWithGlobals()
    const given = [
      ...placed.map((name, index) => [name, words(typed[index])] as const),
      ...read.map(([name, attribute]) => [name, options[attribute]] as const),
    ]
    return Object.fromEntries(given.filter(([, value]) => value !== undefined))
  }
}

function fieldsOf({ operation, asTyped }: Offered): readonly Field[] {
  return operation.fields.map((field) => ({
    ...field,
    description: toldHere[field.name] ?? asTyped(field.description),
  }))
}

/** Joins several words to one text. */
function words(typed: unknown): unknown {
  if (!Array.isArray(typed)) return typed
  return typed.length === 0 ? undefined : typed.join(' ')
}

function argumentOf(field: Field, word: string): Argument {
  const argument = createArgument(word, field.description)
  if (field.choices) return argument.choices([...field.choices])
  return isText(field) ? argument : argument.argParser(readerOf(field))
}

function optionsOf(field: Field): readonly Option[] {
  const { name, type, choices, description } = field
  const flag = flags[name] ?? name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replaceAll('_', '-')
  if (type === 'boolean') {
    const [on, off] = [createOption(`--${flag}`, description), createOption(`--no-${flag}`, description)]
    if (negatable.has(name)) return [on, createOption(`--no-${flag}`, 'Without a running process')]
    return /default true/i.test(description) ? [off] : [on]
  }
  const option = createOption(`--${flag} <${valueName(field)}>`, description)
  if (choices) return [option.choices([...choices])]
  return [isText(field) ? option : option.argParser(readerOf(field))]
}

function valueName({ name, type }: Field): string {
  if (name === 'timeout') return 'time'
  if (moments.has(name)) return 'when'
  if (name.endsWith('Team')) return 'team'
  if (type === 'object') return 'json'
  return isNumber(type) ? 'n' : name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}

function isNumber(type: unknown): boolean {
  return type === 'number' || type === 'integer'
}

/** Several teams are typed as one word, which the command splits. */
function isText({ name, type }: Field): boolean {
  return (type === 'string' || name === 'toTeam') && !moments.has(name)
}

/** Converts typed text to the field's type. The daemon refuses values that do not fit the contract. */
function readerOf({ name, type }: Field): (text: string) => unknown {
  if (moments.has(name)) return orRefuse(timeIn, 'Not a time. Use 2h, 3d or 2026-11-22T10:00.')
  if (name === 'timeout') return orRefuse(durationIn, 'Not a duration. Use 30s, 5m, or a number of milliseconds.')
  if (isNumber(type)) return orRefuse((text) => (text.trim() === '' ? Number.NaN : Number(text)), 'Not a number.')
  if (name === 'budget') return budgetIn
  if (type === 'object') return jsonObject
  // One value, or several with commas between them.
  return (text) => (text.includes(',') ? text.split(',') : text)
}

function orRefuse(read: (text: string) => number, why: string): (text: string) => number {
  return (text) => {
    const value = read(text)
    if (Number.isNaN(value)) throw new InvalidArgumentError(why)
    return value
  }
}

function jsonObject(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new InvalidArgumentError(`Not JSON. Write it like '{"turns":5}'.`)
  }
}

/** Reads a budget, whose time may have a unit. */
function budgetIn(text: string): unknown {
  const budget = jsonObject(text)
  return isRecord(budget) && budget['time'] !== undefined ? { ...budget, time: withoutUnit(budget['time']) } : budget
}
