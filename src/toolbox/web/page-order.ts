/** What a page is turned into. */
export type PageText = { title: string; text: string; note?: string | undefined };

/** What the worker is to do: HTML as text, with the address its links are relative to, or the bytes of a PDF file. */
export type PageOrder = { kind: 'html'; html: string; url: string } | { kind: 'pdf'; body: Uint8Array };
export type PageAnswer = { page: PageText } | { fault: string };
