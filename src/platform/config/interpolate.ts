import type { Environment } from './home.ts'

export interface Interpolated {
  readonly text: string
  /** The text was one variable and nothing else. */
  readonly whole: boolean
  /** Part of the text came from the environment, so it may be a secret. */
  readonly fromEnvironment: boolean
  /** Places that are no usable variable; `text` is of no use then. */
  readonly mistakes: readonly VariableMistake[]
}

export interface VariableMistake {
  /** Such as `${PORT}`. */
  readonly written: string
  readonly problem: string
  readonly remedy: string
}

// A body ends at the first brace: a greedy one would swallow `${A:-x}/${B:-y}` whole.
const variable = /\$\$\{|\$\{([^}]*)(\}?)/g
const body = /^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s

/**
 * Replaces `${NAME}` and `${NAME:-default}` by the values of `env`; `$${` stands for `${`. The default also counts for
 * an empty variable, as in a shell. A default cannot hold another variable.
 */
export function interpolate(written: string, env: Environment): Interpolated {
  const mistakes: VariableMistake[] = []
  let fromEnvironment = false
  let whole = false
  const text = written.replace(variable, (match: string, inner: string | undefined, end: string | undefined) => {
    if (inner === undefined) return '${'
    whole = match.length === written.length
    const [, name, fallback] = (end && body.exec(inner)) || []
    if (name === undefined || fallback?.includes('${')) {
      mistakes.push(notAVariable(match))
      return ''
    }
    const value = Object.hasOwn(env, name) ? env[name] : undefined
    if (value !== undefined && (value !== '' || fallback === undefined)) {
      fromEnvironment = true
      return value
    }
    if (fallback === undefined) mistakes.push(notSet(match, name))
    return fallback ?? ''
  })
  return { text, whole, fromEnvironment, mistakes }
}

function notAVariable(written: string): VariableMistake {
  return {
    written,
    problem: 'this is not a variable that Iris can read',
    remedy: 'Write ${NAME} or ${NAME:-default} (a default holds no other variable), or $${ for a plain ${.',
  }
}

function notSet(written: string, name: string): VariableMistake {
  return {
    written,
    problem: `the environment variable ${name} is not set`,
    remedy: `Set ${name} before Iris starts, or write a default: \${${name}:-default}.`,
  }
}
