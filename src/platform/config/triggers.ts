import { z } from 'zod'
import { RoleName } from '../../base/protocol/role-name.ts'
import { pathPattern, pathsOf, templateParts } from './event-paths.ts'
import { danger, withMetadata } from './field-metadata.ts'
import { budget, oneOf, path, text } from './fields.ts'
import { closedRole } from './roles.ts'

/** The name of a trigger, as used in config.yaml, in its address and in the name of its asker. */
export const TriggerName = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,31}$/, 'a trigger is 1 to 32 small letters, digits, _ or -, and starts with a letter')

const outside = danger('lets programs outside start an agent')

/** The maximum number of values in one message. Each may add a line of 8 KiB to the message. */
const maxPaths = 32

const template = text
  .refine((written) => written.trim() !== '', 'is empty')
  .refine((written) => templateParts(written) !== undefined, 'has {{ without the path of a value and }}')
  .refine((written) => pathsOf(written).length <= maxPaths, `has more than ${maxPaths} paths`)
  .describe('text with {{path}} for each value of the event, such as {{issue.title}}')

/** Stands for the value of a path while the rest of the name is checked. */
const anyValue = 'x'

function hasAtMostOnePath(written: string): boolean {
  const parts = templateParts(written)
  return parts !== undefined && parts.filter((part) => typeof part !== 'string').length <= 1
}

function isThreadName(written: string): boolean {
  const parts = templateParts(written) ?? []
  const name = parts.map((part) => (typeof part === 'string' ? part : anyValue)).join('')
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/.test(name)
}

const thread = z
  .string()
  .refine(hasAtMostOnePath, 'has more than one path, or {{ without a path and }}')
  .refine(isThreadName, 'is not 1 to 40 letters, digits or . _ - besides the path, starting with a letter or digit')
  .describe('a name of 1 to 40 letters, digits or . _ -, with at most one {{path}} in it')

const scalar = z.union([z.string(), z.number(), z.boolean()])

/** One trigger of config.yaml: who may send events, and which message each of them becomes. */
export const TriggerEntry = z
  .strictObject({
    /** The secret is never in config.yaml itself. While it is being replaced, there are two files. */
    secretFile: withMetadata(
      z
        .union([path, z.array(path).min(1).max(2)])
        .describe('an absolute path or one that begins with ~/, or a list of two while the secret is replaced'),
      outside,
    ),
    scheme: withMetadata(oneOf(['standard', 'github', 'token']), outside),
    team: withMetadata(z.string().describe('the name of a team'), outside),
    role: withMetadata(RoleName.default(closedRole).describe('the name of a role'), outside),
    thread: withMetadata(thread.default('main'), outside),
    message: withMetadata(template, outside),
    budget: withMetadata(budget.optional(), outside),
    when: withMetadata(
      z
        .record(z.string().regex(pathPattern, 'is no path'), z.union([scalar, z.array(scalar).min(1)]))
        .optional()
        .describe('a mapping from paths to the value that an event must have there, or to a list of such values'),
      outside,
    ),
    callback: withMetadata(z.string().optional().describe('the name of a callback'), outside),
    metadata: withMetadata(
      z
        .record(z.string(), z.string().regex(pathPattern, 'is no path'))
        .optional()
        .describe('a mapping from names to paths, such as { issue: issue.number }'),
      outside,
    ),
  })
  .describe('a mapping with secretFile, scheme, team and message')
