import { useMemo, useState } from 'react'
import { isRecord } from '../../../../src/base/lib/is-record.ts'
import type { Output } from '../../shared/api/operations.ts'
import { SearchField } from '../../shared/ui/search-field.tsx'
import { ConfigField } from './config-field.tsx'
import { type Field, fieldsOf } from './fields.ts'
import { withPlainLines } from './line-ends.ts'
import { texts } from './texts.ts'
import { literalOf, parsed, withValue, writtenAt } from './yaml-edit.ts'

interface ConfigFormProps {
  readonly config: Output<'get_config'>
  readonly text: string
  readonly onChange: (text: string) => void
}

/** The values in the text, key by key. Changing a field changes its value in the text and nothing else. */
export function ConfigForm({ config, text, onChange }: ConfigFormProps) {
  const [sought, setSought] = useState('')
  const document = useMemo(() => parsed(text), [text])
  const parts = useMemo(() => partsOf(config, document?.toJS()), [config, document])
  if (document === undefined) {
    return <p className="text-muted">{texts.theTextIsNot}</p>
  }
  const put = ({ path, kind }: Field, typed: string): void => {
    const isPlain = kind === 'choice' || (kind === 'number' && /^-?\d+(\.\d+)?$/.test(typed))
    const literal = typed === '' ? undefined : isPlain ? typed : literalOf(typed)
    onChange(withPlainLines(text, (plain) => withValue(plain, path, literal)))
  }
  const isSought = (text: string): boolean => text.toLowerCase().includes(sought.trim().toLowerCase())
  const fitting = parts
    .map(({ fields, ...part }) => ({
      ...part,
      fields: isSought(part.title) ? fields : fields.filter(({ name, meaning }) => isSought(`${name} ${meaning}`)),
    }))
    .filter(({ fields }) => fields.length > 0 || sought.trim() === '')
  return (
    <form className="flex flex-col gap-3" onSubmit={(event) => event.preventDefault()} aria-label={texts.configuration}>
      <SearchField label={texts.findAKey} placeholder={texts.findAKeyField} value={sought} onChange={setSought} />
      {fitting.length === 0 && <p className="text-muted">{texts.noKeyMatches}</p>}
      {fitting.map(({ title, fields, isOpen }) => (
        <details
          key={title}
          open={isOpen || sought !== ''}
          className="border-line bg-panel rounded-lg border px-3 py-2"
        >
          <summary className="cursor-pointer font-semibold wrap-anywhere">{title}</summary>
          <div className="divide-line divide-y">
            {fields.map((field) => (
              <ConfigField
                key={field.name}
                field={field}
                written={writtenAt(document, field.path)}
                file={config.file}
                onChange={(typed) => put(field, typed)}
              />
            ))}
          </div>
        </details>
      ))}
    </form>
  )
}

/** The settings, the store, and each team in the text or in the configuration in force. */
function partsOf({ schema, settings, teams }: ConfigFormProps['config'], written: unknown) {
  const sections = schema['properties'] as Record<string, Record<string, unknown>>
  const inText = isRecord(written) && isRecord(written['teams']) ? Object.keys(written['teams']) : []
  const configs = new Map(teams.map(({ name, config }) => [name, config]))
  const ofTeam = sections['teams']!['additionalProperties']
  return [
    { title: texts.settings, fields: fieldsOf(sections['settings'], ['settings'], settings), isOpen: true },
    ...inText.map((name) => ({
      title: texts.teamPart(name),
      isOpen: false,
      fields: fieldsOf(ofTeam, ['teams', name], configs.get(name) ?? {}),
    })),
    { title: texts.database, fields: fieldsOf(sections['database'], ['database'], {}), isOpen: false },
  ]
}
