import { isAbsolute } from 'node:path'
import { z } from 'zod'
import { withoutUnit } from '../../base/lib/duration.ts'
import { Budget } from '../../base/protocol/budget.ts'
import { allowedForms, parseAllowRule, parseRule } from '../../base/rule/rule.ts'
import { parseRemote } from '../hosts/remote-command.ts'
import { NoCommand } from '../hosts/shell-words.ts'
import { checkSshOptions } from '../hosts/ssh-options.ts'

// The longest delay of setTimeout; longer ones fire at once.
const maxMs = 2 ** 31 - 1
// Linux limits one argument of a process to 128 KiB.
const maxFieldCharacters = 100_000

/** Messages show the `description` of a field as the allowed values. */
export function wholeNumber(least: number, most: number, unit: string) {
  return z
    .int()
    .min(least)
    .max(most)
    .meta({ description: `a whole number of ${unit} from ${least} to ${most}`, unit })
}

/** A time in milliseconds, or a text with a unit, which becomes milliseconds. */
export function duration(least: number, most: number) {
  return z.preprocess(withoutUnit, z.int().min(least).max(most)).meta({
    description: `a time such as 30s or 5m, or a whole number of milliseconds from ${least} to ${most}`,
    unit: 'milliseconds',
  })
}

export const milliseconds = duration(1, maxMs)

/** Like the budget in the API, but the time may have a unit. */
export const budget = Budget.extend({ time: milliseconds.optional() }).describe(
  'a mapping with turns, tokens, cost (US dollars) and time, all optional',
)

export function oneOf<const Words extends readonly [string, ...string[]]>(words: Words) {
  return z.enum(words).describe(`${words.slice(0, -1).join(', ')} or ${words.at(-1)}`)
}

const plainText = z
  .string()
  .max(maxFieldCharacters, `is longer than ${maxFieldCharacters} characters`)
  .refine((text) => !text.includes('\0'), 'contains a NUL character')

export const text = plainText.describe('text')

/** An argument of a command: not empty, and not readable as an option. */
const argument = plainText
  .refine((value) => value.trim() !== '', 'is empty')
  .refine((value) => !value.startsWith('-'), 'begins with -, so it would be read as an option')

export const path = plainText
  .refine((value) => value !== '', 'is empty')
  .describe('an absolute path, or one that begins with ~/')

export const command = argument
  .refine((value) => isAbsolute(value) || value.startsWith('~/') || !value.includes('/'), 'is a relative path')
  .describe('an absolute path, a path that begins with ~/, or the bare name of a command on PATH')

/**
 * Checks a value with the command-line parser, so that a mistake is reported when the file is read, not at the first
 * message.
 */
function asCommand<Field extends z.ZodType>(field: Field, parse: (value: z.output<Field>) => unknown) {
  return field.superRefine((value, context) => {
    try {
      parse(value)
    } catch (error) {
      if (!(error instanceof NoCommand)) throw error
      context.addIssue({ code: 'custom', message: error.message })
    }
  })
}

export const remote = asCommand(plainText, (value) => parseRemote(value)).describe(
  'ssh with a host, such as ssh inanna, or another command that gives a POSIX shell on its standard input',
)

export const sshArguments = asCommand(z.array(plainText), (words) => {
  const { others } = checkSshOptions(words)
  if (others.length > 0) throw new NoCommand(`contains something that is not an option: ${others.join(' ')}`)
}).describe('a list of options of ssh, such as ["-J", "bastion"]')

/**
 * The value becomes an origin without path, query or credentials, because the dashboard's addresses begin at the root.
 */
export const publicAddress = plainText
  .transform((value, context) => {
    const url = URL.parse(value)
    if (url?.protocol === 'https:' && value.replace(/\/$/, '').toLowerCase() === url.origin) return url.origin
    context.addIssue({ code: 'custom', message: 'is not https:// followed by only a host' })
    return z.NEVER
  })
  .describe('https:// with a host, such as https://iris.example.org, and nothing after it but a port')

export const model = argument
  .refine((value) => !/\s/.test(value), 'contains a space')
  .describe('the name of a model as Claude Code takes it, such as opus')

export const colour = z
  .string()
  .regex(/^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i, 'is not a colour')
  .describe('a colour such as "#F69" or "#FF6B9D", in quotes: an unquoted # begins a comment')

/** Also accepts booleans, because YAML 1.1 turns yes and no into them. */
export const permission = z
  .preprocess(
    (value) => (value === true ? 'yes' : value === false ? 'no' : value),
    z.enum(['yes', 'no', 'ask', 'forward']),
  )
  .describe('yes, no, ask or forward')

export const tools = z
  .preprocess((value) => (typeof value === 'string' ? splitTools(value) : value), z.array(argument))
  .describe('a list of tools or rules such as Read and Bash(git status *), or one text with commas between them')

/** Parses the rules, so that a bad rule is a mistake in the file instead of a rule that never applies. */
function ruleList(parse: (text: string) => unknown) {
  const rule = argument.superRefine((text, context) => {
    try {
      parse(text)
    } catch (error) {
      context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : 'is not a rule' })
    }
  })
  return z
    .preprocess((value) => (typeof value === 'string' ? splitTools(value) : value), z.array(rule))
    .describe(`a list of rules, each one of ${allowedForms}`)
}

export const allowRules = ruleList(parseAllowRule)
export const denyRules = ruleList(parseRule)

/** Splits at commas outside parentheses: `Bash(git add a,b), Read` is two rules. */
export function splitTools(list: string): string[] {
  const tools = ['']
  let depth = 0
  for (const character of list) {
    if (character === '(') depth++
    if (character === ')') depth--
    if (character === ',' && depth <= 0) tools.push('')
    else tools.push(tools.pop() + character)
  }
  return tools.map((tool) => tool.trim()).filter((tool) => tool !== '')
}

const variableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'is not a name that an environment variable can have')

export const variable = variableName.optional().describe('the name of an environment variable of Iris')

export const environment = z
  .preprocess((value) => value ?? {}, z.record(variableName, text))
  .describe('a mapping from names of environment variables to text')
