import { useId } from 'react'
import { logLevels } from '../../../../src/base/protocol/log-entry.ts'
import { useOperation } from '../../shared/api/use-operation.ts'
import type { WantedLines } from './log-filter.ts'
import { texts } from './texts.ts'

interface LogControlsProps {
  readonly wanted: WantedLines
  readonly parts: readonly string[]
  readonly onChange: (wanted: WantedLines) => void
}

const field = 'border-line bg-panel min-h-8 w-full rounded-md border px-2'

/** Chooses which lines are shown, among those that are loaded already. */
export function LogControls({ wanted, parts, onChange }: LogControlsProps) {
  const { data } = useOperation('list_teams', {})
  const teams = data?.teams.map(({ name }) => name) ?? []
  const choose = (name: keyof WantedLines) => (value: string) => onChange({ ...wanted, [name]: value })
  return (
    <search aria-label={texts.linesToShow} className="grid grid-cols-2 gap-2 sm:grid-cols-3 lg:grid-cols-5">
      <Choice name={texts.level} value={wanted.level} onChoose={choose('level')}>
        {logLevels.map((level) => (
          <option key={level} value={level}>
            {level === 'error' ? texts.error : texts.andAbove(level)}
          </option>
        ))}
      </Choice>
      <Choice name={texts.team} value={wanted.team} onChoose={choose('team')}>
        <Options all={texts.allTeams} names={teams} />
      </Choice>
      <Choice name={texts.part} value={wanted.part} onChoose={choose('part')}>
        <Options all={texts.allParts} names={parts} />
      </Choice>
      <Text name={texts.idOf} value={wanted.session} onType={choose('session')} />
      <Text name={texts.text} value={wanted.text} onType={choose('text')} />
    </search>
  )
}

function Options({ all, names }: { readonly all: string; readonly names: readonly string[] }) {
  return (
    <>
      <option value="">{all}</option>
      {names.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </>
  )
}

interface ChoiceProps {
  readonly name: string
  readonly value: string
  readonly onChoose: (value: string) => void
  readonly children: React.ReactNode
}

function Choice({ name, value, onChoose, children }: ChoiceProps) {
  const id = useId()
  return (
    <label htmlFor={id} className="flex min-w-0 flex-col gap-0.5">
      <span className="text-muted text-xs">{name}</span>
      <select id={id} className={field} value={value} onChange={({ target }) => onChoose(target.value)}>
        {children}
      </select>
    </label>
  )
}

interface TextProps {
  readonly name: string
  readonly value: string
  readonly onType: (value: string) => void
}

function Text({ name, value, onType }: TextProps) {
  const id = useId()
  return (
    <label htmlFor={id} className="flex min-w-0 flex-col gap-0.5">
      <span className="text-muted text-xs">{name}</span>
      <input id={id} type="search" className={field} value={value} onChange={({ target }) => onType(target.value)} />
    </label>
  )
}
