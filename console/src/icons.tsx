// The few icons of the console, drawn with lines of one weight.

import type { ReactNode } from 'react';

const shapes = {
  brand: <path d="M4 9V4h4v3h2.5V4h3v3H16V4h4v5M5 9h14v11h-5v-4a2 2 0 0 0-4 0v4H5z" />,
  overview: <path d="M4 19V10M10 19V5M16 19v-7M21 19H3" />,
  approvals: <path d="M12 3 5 6v5c0 4.5 3 8 7 10 4-2 7-5.5 7-10V6zM9 12l2.2 2.2L15.5 10" />,
  changes: <path d="M7 4v16M4 7l3-3 3 3M17 20V4M14 17l3 3 3-3" />,
  log: <path d="M5 6h14M5 11h14M5 16h9" />,
  policies: <path d="M12 4v16M5 8h14M5 8l-2.5 6h5zM19 8l-2.5 6h5zM9 20h6" />,
  try: <path d="m5 7 5 5-5 5M12 18h7" />,
  hosts: <path d="M4 5h16v10H4zM9 20h6M12 15v5" />,
  approvers: <path d="M8 14a4 4 0 1 1 3.5-6H20v3h-2v3h-3v-3h-3.5A4 4 0 0 1 8 14zM8 10h.01" />,
  permissions: <path d="M6 11h12v9H6zM9 11V7a3 3 0 0 1 6 0M12 15v2" />,
  servers: <path d="M4 4h16v6H4zM4 14h16v6H4zM8 7h.01M8 17h.01" />,
  notifications: <path d="M6 17V11a6 6 0 0 1 12 0v6l1.5 1.5h-15zM10.5 21h3" />,
  more: <path d="M5 12h.01M12 12h.01M19 12h.01" />,
} as const satisfies Readonly<Record<string, ReactNode>>;

export type IconName = keyof typeof shapes;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg
      className="icon"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {shapes[name]}
    </svg>
  );
}
