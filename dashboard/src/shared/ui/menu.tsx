import { clsx } from 'clsx'
import { DropdownMenu } from 'radix-ui'
import type { ReactNode } from 'react'
import { IconButton } from './button.tsx'
import { Icon } from './icon.tsx'

/** What can be done with one thing. `label` names the thing: "Actions for frontend to backend". */
export function Menu({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    // Not modal: a modal menu would put a <style> into the page, which the page's policy forbids.
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>
        <IconButton label={label}>
          <Icon name="more" />
        </IconButton>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="end"
          collisionPadding={8}
          className="border-line bg-panel z-20 min-w-44 rounded-md border p-1 shadow-lg"
        >
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

interface MenuItemProps {
  readonly onSelect: () => void
  readonly danger?: boolean
  readonly disabled?: boolean
  readonly children: ReactNode
}

export function MenuItem({ onSelect, danger = false, disabled = false, children }: MenuItemProps) {
  return (
    <DropdownMenu.Item
      onSelect={onSelect}
      disabled={disabled}
      className={clsx(
        'data-highlighted:bg-raised cursor-pointer rounded px-2 py-1.5 outline-none data-disabled:opacity-50',
        danger && 'text-bad',
      )}
    >
      {children}
    </DropdownMenu.Item>
  )
}
