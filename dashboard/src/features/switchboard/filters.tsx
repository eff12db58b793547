import type { ReactNode } from 'react'
import { type Standing, standings } from '../../../../src/base/protocol/standing.ts'
import { standingWord } from '../../shared/turns/why-standing.ts'
import { Button } from '../../shared/ui/button.tsx'
import { fieldLook, SearchField } from '../../shared/ui/search-field.tsx'
import { everything, type Filter, isEverything } from './filter.ts'
import { texts } from './texts.ts'

interface FiltersProps {
  readonly filter: Filter
  readonly participants: readonly string[]
  readonly onChange: (filter: Filter) => void
  /** How many sessions are shown, in words. */
  readonly children: ReactNode
}

export function Filters({ filter, participants, onChange, children }: FiltersProps) {
  const { team = '', standing = '', text, withArchived } = filter
  return (
    <search aria-label={texts.conversationsList} className="flex flex-wrap items-center gap-2">
      <SearchField
        label={texts.findInNamesThreads}
        placeholder={texts.find}
        value={text}
        onChange={(sought) => onChange({ ...filter, text: sought })}
        className="w-40 flex-1 sm:flex-none"
      />
      <select
        aria-label={texts.teamField}
        value={team}
        onChange={(event) => onChange({ ...filter, team: event.target.value || undefined })}
        className={`${fieldLook} max-w-44`}
      >
        <option value="">{texts.allTeams}</option>
        {participants.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <select
        aria-label={texts.state}
        value={standing}
        onChange={(event) =>
          onChange({ ...filter, standing: (event.target.value || undefined) as Standing | undefined })
        }
        className={fieldLook}
      >
        <option value="">{texts.allStates}</option>
        {standings
          .filter((each) => withArchived || each !== 'archived')
          .map((each) => (
            <option key={each} value={each}>
              {standingWord(each)}
            </option>
          ))}
      </select>
      <label className="flex items-center gap-1.5">
        <input
          type="checkbox"
          checked={withArchived}
          onChange={(event) => onChange({ ...filter, withArchived: event.target.checked, standing: undefined })}
        />
        {texts.showArchived}
      </label>
      {!isEverything(filter) && (
        <Button look="quiet" onClick={() => onChange({ ...everything, withArchived })}>
          {texts.showAll}
        </Button>
      )}
      <p role="status" className="text-muted ml-auto">
        {children}
      </p>
    </search>
  )
}
