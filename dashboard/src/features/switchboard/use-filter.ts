import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { standings } from '../../../../src/base/protocol/standing.ts'
import { columnNames, type Sorting } from './columns.ts'
import type { Filter } from './filter.ts'

/**
 * The filter and the sorting. They are kept in the address, so that people can share it, bookmark it and go back to it.
 */
export function useFilter() {
  const search = useSearch({ from: '/switchboard' })
  const navigate = useNavigate()
  const { team, state, find = '', archived, sort } = search
  const filter = useMemo<Filter>(
    () => ({
      team,
      standing: standings.find((standing) => standing === state),
      text: find,
      withArchived: archived === 'true',
    }),
    [team, state, find, archived],
  )
  const sorting = useMemo(() => sortingOf(sort), [sort])
  const setFilter = ({ team, standing, text, withArchived }: Filter): void =>
    void navigate({
      to: '/switchboard',
      search: {
        ...(team !== undefined && { team }),
        ...(standing !== undefined && { state: standing }),
        ...(text !== '' && { find: text }),
        ...(withArchived && { archived: 'true' }),
        ...(sort !== undefined && { sort }),
      },
      // A typed letter adds no entry to the browser's history.
      replace: text !== filter.text,
    })
  const setSorting = ({ by, isFalling }: Sorting): void => {
    const { sort: _, ...others } = search
    const chosen = by === 'used' ? {} : { sort: `${isFalling ? '-' : ''}${by}` }
    void navigate({ to: '/switchboard', search: { ...others, ...chosen } })
  }
  return { filter, setFilter, sorting, setSorting }
}

function sortingOf(sort: string | undefined): Sorting {
  const isFalling = sort?.startsWith('-') === true
  const by = columnNames.find((name) => name === (isFalling ? sort?.slice(1) : sort))
  return by === undefined ? { by: 'used', isFalling: true } : { by, isFalling }
}
