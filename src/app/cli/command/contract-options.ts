import { type Argument, type Command, createArgument, createOption, InvalidArgumentError, type Option } from 'commander'
import type { Field, OfferedOperation } from './operations-offered.ts'
import { durationIn, timeIn } from './time-words.ts'

interface Offered {
  readonly operation: OfferedOperation
  readonly places: Readonly<Record<string, string>>
  readonly without: readonly string[]
  /** A description as people at a terminal say it: models call operations, people commands. */
  readonly asTyped: (text: string) => string
}

/** Shorter than the field's own name, and the same in every command. */
const flags: Readonly<Record<string, string>> = { fromTeam: 'from', toTeam: 'to' }
/** What the contract says to models, and a person at a terminal needs to hear otherwise. */
const toldHere: Readonly<Record<string, string>> = {
  fromTeam: 'In whose name: a team, or external. Default: external; of messages the team of this directory',
  sessionId: 'The id of the conversation, or its beginning',
  timeout: 'How long to wait: 30s, 5m, or milliseconds. 0: until it ends. -1: not at all',
  since: 'Since when: 2h, 3d, or a time such as 2026-11-22T10:00',
}
/** Both ways mean something, and neither is what is meant by saying nothing. */
const negatable = new Set(['awake'])
/** No command is a repeated call of a program. */
const neverOffered = new Set(['idempotencyKey'])

/** Gives a command the arguments and options of an operation's input; returns what reads that input out of what was typed. */
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

/** Several words are one text, as a person types it. */
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
    if (negatable.has(name)) return [on, createOption(`--no-${flag}`, 'The other way round')]
    return /default true/i.test(description) ? [off] : [on]
  }
  const option = createOption(`--${flag} <${valueName(field)}>`, description)
  if (choices) return [option.choices([...choices])]
  return [isText(field) ? option : option.argParser(readerOf(field))]
}

function valueName({ name, type }: Field): string {
  if (name === 'timeout') return 'time'
  if (name === 'since') return 'when'
  if (name.endsWith('Team')) return 'team'
  if (type === 'object') return 'json'
  return isNumber(type) ? 'n' : name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}

function isNumber(type: unknown): boolean {
  return type === 'number' || type === 'integer'
}

/** Several teams are typed as one word, which the command divides. */
function isText({ name, type }: Field): boolean {
  return (type === 'string' || name === 'toTeam') && name !== 'since'
}

/** What is typed is text; the contract says what is meant. What does not fit it the daemon refuses. */
function readerOf({ name, type }: Field): (text: string) => unknown {
  if (name === 'since') return orRefuse(timeIn, 'Not a time. Use 2h, 3d or 2026-11-22T10:00.')
  if (name === 'timeout') return orRefuse(durationIn, 'Not a duration. Use 30s, 5m, or a number of milliseconds.')
  if (isNumber(type)) return orRefuse((text) => (text.trim() === '' ? Number.NaN : Number(text)), 'Not a number.')
  if (type === 'object') return jsonObject
  // One, or several with commas between them.
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
    throw new InvalidArgumentError(`It is no JSON: write it like '{"turns":5}'.`)
  }
}
