import { createContext, type ReactNode, useCallback, useContext, useRef, useState } from 'react'
import { Button, IconButton } from './button.tsx'
import { Icon } from './icon.tsx'
import { texts } from './texts.ts'

interface Notice {
  readonly id: number
  readonly text: string
  readonly isTrouble: boolean
  readonly action: NoticeAction | undefined
}

/** A further action that is possible as long as the notice is shown. */
interface NoticeAction {
  readonly label: string
  readonly run: () => void
}

interface TellOptions {
  readonly isTrouble?: boolean
  readonly action?: NoticeAction
}

type Tell = (text: string, options?: TellOptions) => void

const NoticesContext = createContext<Tell>(() => {})
const [shownMs, withActionMs] = [8000, 10_000]

/**
 * Reports what a click has done, or that it failed, where everybody sees and hears it. Trouble stays until it is
 * closed.
 */
export function NoticesProvider({ children }: { readonly children: ReactNode }) {
  const [notices, setNotices] = useState<readonly Notice[]>([])
  const count = useRef(0)
  const close = useCallback((id: number) => setNotices((all) => all.filter((notice) => notice.id !== id)), [])
  const tell = useCallback<Tell>(
    (text, { isTrouble = false, action } = {}) => {
      const id = ++count.current
      setNotices((all) => [...all.slice(-3), { id, text, isTrouble, action }])
      if (!isTrouble) setTimeout(() => close(id), action === undefined ? shownMs : withActionMs)
    },
    [close],
  )
  return (
    <NoticesContext value={tell}>
      {children}
      <div
        role="status"
        className="fixed right-3 bottom-15 lg:bottom-3 z-30 flex w-[min(24rem,calc(100vw-1.5rem))] flex-col gap-2"
      >
        {notices.map(({ id, text, isTrouble, action }) => (
          <div
            key={id}
            className={`${isTrouble ? 'border-bad' : 'border-line'} bg-panel flex items-start gap-2 rounded-md border p-3 shadow-lg`}
          >
            <p className="min-w-0 flex-1 wrap-anywhere">{text}</p>
            {action !== undefined && (
              <Button
                onClick={() => {
                  close(id)
                  action.run()
                }}
              >
                {action.label}
              </Button>
            )}
            <IconButton label={texts.closeThisNotice} onClick={() => close(id)}>
              <Icon name="close" className="size-4" />
            </IconButton>
          </div>
        ))}
      </div>
    </NoticesContext>
  )
}

export function useNotices(): Tell {
  return useContext(NoticesContext)
}
