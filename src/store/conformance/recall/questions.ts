/** What somebody asks later, in other words, and a part of the message that answers it. */
export type Question = { query: string; answer: string };

const asked = (query: string, answer: string): Question => ({ query, answer });

/** Written together with the conversations, before anything was measured. */
export const FIRST_QUESTIONS: readonly Question[] = [
  asked('how long do we keep database backups', 'RETENTION_DAYS=14'),
  asked('endless redirects after cookie expiry fix', 'moved refreshToken()'),
  asked('message broker decision for sending invoices', 'I recommend RabbitMQ'),
  asked('shop container out of memory', 'exceeded its memory limit'),
  asked('speed up slow products page', 'replaced them with one join'),
  asked('Heizungen defekt Brief Vermieter Frist', 'Sehr geehrter Herr Brandt'),
  asked('unbezahlte Rechnung Stadtwerke', 'Zwei Rechnungen sind unbezahlt'),
  asked('which food is my child allergic to', 'allergic to peanuts'),
  asked('dinner for diabetic father', 'dad is diabetic'),
  asked('faster continuous integration by caching', 'split Playwright into four shards'),
  asked('revoking the leaked weather key', 'The leaked key is revoked'),
  asked('dropping old Node versions', 'raised engines.node'),
  asked('learning Spanish daily schedule', 'Notes in Spanish'),
  asked('calendar exports show the wrong day in Tokyo', 'TZID=Asia/Tokyo'),
  asked('monthly storage costs of uploaded images', '5.10 dollars for storage'),
  asked('emails going to spam', 'The DKIM signature was missing'),
  asked('accuracy of the ticket classification models', '87 % accuracy'),
  asked('when does the Hamburg project go live', 'Go-live moves from March'),
  asked('laptop battery empty after sleeping', 'never enters deep sleep'),
  asked('renaming pictures without exif', 'Pictures without EXIF data'),
  asked('pourquoi la facture n’est pas envoyée au client', 'les factures ne sont plus envoyées'),
  asked('configuración de la impresora', 'configurar la impresora nueva'),
  asked('ошибка сервера ночью', 'сервер отвечал ошибкой 502'),
  asked('server locked table during migrating column timeout', 'locked the orders table'),
];

/** Written afterwards, without knowing the results of the first ones. */
export const SECOND_QUESTIONS: readonly Question[] = [
  asked('why was the backup failing disk space', 'The disk of the backup host was full'),
  asked('commit that fixed the expired session cookie', 'Commit 7f3c2ab'),
  asked('loses unacknowledged messages on restarting', 'Redis would lose unacknowledged mails'),
  asked('memory needed by resizing images', 'the image resizer needs about 500 MB'),
  asked('too many statements per page, added an index', '380 statements per page'),
  asked('bis wann muss die Heizung repariert werden', 'Behebung bis zum 19. November'),
  asked('Mahnungen wegen Strom', 'Die Mahnung vom 2. Oktober'),
  asked('hotel area Lisbon with children near a tram', 'four nights near Campo de Ourique'),
  asked('unstable checkout tests with payment frame', 'clicked before the payment iframe'),
  asked('breaking changes in changelog', 'Mention it in the changelog'),
  asked('redirecting old upload addresses to the bucket', 'nginx redirects the old addresses'),
  asked('missing DNS entries of newsletter sender', 'no CNAME record'),
  asked('price accepted by the customer in Hamburg', 'They accept the price of 48,000 euros'),
  asked('photo script crashes with iPhone pictures', 'The old exiftool did not know HEIC'),
  asked('splitting the report module into parts', 'I split report.py'),
  asked('pain in the knee when I run', 'My knees hurt after running'),
  asked('pods being evicted from nodes', 'run out of ephemeral storage'),
  asked('choosing an analytics database with aggregation', 'ClickHouse fits best'),
  asked('certificat SMTP expiré renouvellement', 'le certificat a expiré le 8 octobre'),
  asked('rate limiting by GitHub', 'We get a lot of 429 answers'),
  asked('anonymised visitor addresses retention GDPR', 'an IP address is personal data'),
  asked('typo tolerant searching threshold', 'trigram matching with a threshold'),
  asked('ssh disconnects when idle', 'drops idle connections after five minutes'),
  asked('orders per minute in load testing', 'It held 340 orders per minute'),
];
