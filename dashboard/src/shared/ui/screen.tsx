import { type ReactNode, useEffect } from 'react'
import { titleScreen } from './page-title.ts'

interface ScreenProps {
  readonly title: string
  /** Shown beside the title: actions that concern the whole screen. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** A screen below the header: its heading, also the title of the page, and what it shows. */
export function Screen({ title, actions, children }: ScreenProps) {
  useEffect(() => {
    titleScreen(title)
  }, [title])
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-4 p-3 sm:p-5">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <h1 className="text-lg font-semibold wrap-anywhere">{title}</h1>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </div>
      {children}
    </div>
  )
}
