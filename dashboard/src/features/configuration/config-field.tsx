import { useId, useState } from 'react'
import { duration } from '../../shared/format/durations.ts'
import { Badge } from '../../shared/ui/badge.tsx'
import type { Field } from './fields.ts'
import { texts } from './texts.ts'
import type { Written } from './yaml-edit.ts'

interface ConfigFieldProps {
  readonly field: Field
  readonly written: Written
  /** Path of config.yaml, where a person changes the fields that are read-only here. */
  readonly file: string
  /** Called with the person's input. An empty text removes the key from config.yaml. */
  readonly onChange: (text: string) => void
}

const box = 'border-line bg-page min-h-8 w-full min-w-0 rounded-md border px-2 py-1'

export function ConfigField({ field, written, file, onChange }: ConfigFieldProps) {
  const [id, note] = [useId(), useId()]
  const text = written.kind === 'absent' ? '' : written.text
  // A value of several lines is edited in the YAML.
  const isReadOnly = field.isReadOnly || written.kind === 'other' || text.includes('\n')
  const attributes = { id, 'aria-describedby': note, className: box }
  return (
    <div className="flex flex-col gap-1 py-2" data-key={field.path.join('.')}>
      <div className="flex flex-wrap items-center gap-2">
        <label htmlFor={id} className="font-mono font-medium wrap-anywhere">
          {field.name}
        </label>
        {isReadOnly && <Badge tone={field.danger ? 'warn' : 'plain'}>{texts.readOnlyHere}</Badge>}
        {field.needsRestart && <Badge>{texts.takesEffectAtThe}</Badge>}
      </div>
      {isReadOnly ? (
        <textarea
          {...attributes}
          readOnly
          rows={Math.min(4, text.split('\n').length)}
          value={text}
          placeholder={field.inForce ?? texts.notSet}
        />
      ) : field.kind === 'choice' ? (
        <select {...attributes} value={text} onChange={(event) => onChange(event.target.value)}>
          <option value="">
            {texts.notWritten(field.inForce === undefined ? '' : texts.inForceSuffix(field.inForce))}
          </option>
          {[...new Set([...field.choices, ...(text === '' ? [] : [text])])].map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      ) : (
        <Typed attributes={attributes} field={field} text={text} onChange={onChange} />
      )}
      <p id={note} className="text-muted text-xs wrap-anywhere">
        {noteOf(field, text)}
        {field.danger !== undefined && (
          <span className="text-warn block">{whyReadOnly(field.danger, field.harmless, file)}</span>
        )}
        {isReadOnly && field.danger === undefined && <span className="block">{texts.changeItInThe}</span>}
      </p>
    </div>
  )
}

interface TypedProps {
  readonly attributes: { readonly id: string; readonly className: string }
  readonly field: Field
  readonly text: string
  readonly onChange: (text: string) => void
}

/**
 * A field that is emptied to type something else keeps the key's line and its comment. The key is removed only when the
 * person leaves the field empty.
 */
function Typed({ attributes, field: { kind, unit, inForce }, text, onChange }: TypedProps) {
  const [isEmptied, setEmptied] = useState(false)
  const change = (typed: string): void => {
    setEmptied(typed === '')
    if (typed !== '') onChange(typed)
  }
  const leave = (): void => {
    if (isEmptied) onChange('')
    setEmptied(false)
  }
  return (
    <span className="flex items-center gap-2">
      <input
        {...attributes}
        value={isEmptied ? '' : text}
        placeholder={inForce ?? texts.notSet}
        inputMode={kind === 'number' ? 'decimal' : 'text'}
        spellCheck={false}
        onChange={(event) => change(event.target.value)}
        onBlur={leave}
      />
      {/* The typed time may already have a unit. */}
      {unit !== undefined && !/[a-z]$/.test(text) && <span className="text-muted shrink-0">{unit}</span>}
    </span>
  )
}

function noteOf({ meaning, allowed, unit, inForce }: Field, text: string): string {
  const value = Number(text === '' ? inForce : text)
  const said = meaning === '' ? `${allowed}.` : meaning
  return unit === 'milliseconds' && value >= 1000 ? `${said} ${texts.nowMeans(duration(value))}` : said
}

function whyReadOnly(danger: string, harmless: Field['harmless'], file: string): string {
  const why = texts.whyReadOnly(danger, file)
  return harmless === undefined ? why : `${why} ${texts.taken[harmless]}`
}
