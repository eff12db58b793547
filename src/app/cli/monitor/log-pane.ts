import { fieldsText } from '../../../base/protocol/log-entry.ts'
import type { Line, Span } from './line.ts'
import type { LogLine, Seen } from './state.ts'

const colors: Readonly<Partial<Record<LogLine['level'], NonNullable<Span['color']>>>> = { warn: 'yellow', error: 'red' }

/** One row for each entry, newest last. */
export function logLines({ log }: Seen): readonly Line[] {
  return log.map(({ timestamp, level, context, message, ids }): Line => {
    const color = colors[level]
    const fields = fieldsText(ids)
    return [
      { text: `${clockText(timestamp)} `, dim: true },
      { text: level.padEnd(5), dim: color === undefined, ...(color && { color }) },
      { text: ` ${context}  `, dim: true },
      { text: message.replace(/\s+/g, ' ') },
      { text: fields && `  ${fields}`, dim: true },
    ]
  })
}

/** `14:03:59`, local time. */
export function clockText(at: number): string {
  const date = new Date(at)
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':')
}
