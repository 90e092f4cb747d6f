/**
 * Conversations as they are stored: each is a session whose messages alternate between the user and the assistant.
 * Several are about similar things, so that one shared word is not enough to find the right one.
 */
export const CONVERSATIONS: readonly (readonly string[])[] = [
  [
    'The nightly backup of the Postgres box fails since Tuesday, can you look at it?',
    'The disk of the backup host was full: /var/backups held 41 dumps. I deleted everything older than 14 days and added a logrotate rule, so the next run at 02:30 should pass.',
    'Great. And please keep two weeks from now on, not one.',
    'Done: RETENTION_DAYS=14 is in /etc/backup/pg.env.',
  ],
  [
    'Our login page sends people into a redirect loop when the cookie is expired.',
    'The middleware checked the session before it refreshed the token. I moved refreshToken() in front of requireSession() and added a test that reproduces the loop with an expired cookie.',
    'Works in staging. Which commit was it?',
    'Commit 7f3c2ab, "Refresh the token before the session is required".',
  ],
  [
    'We need to pick a queue for the invoice mails: Redis streams or RabbitMQ?',
    'I recommend RabbitMQ for the invoices. Dead letter exchanges are built in, and the finance team already operates a cluster. Redis would lose unacknowledged mails when it restarts without persistence.',
    'Agreed, we go with RabbitMQ.',
  ],
  [
    'Set up a Docker compose file for the web shop with Redis and Postgres.',
    'compose.yaml has three services now: shop, cache (redis:7-alpine) and db (postgres:16). The shop waits for the health check of db before it starts.',
    'The container of the shop is killed after a few minutes.',
    'It exceeded its memory limit of 256 MB (exit code 137). I raised mem_limit to 768m; the image resizer needs about 500 MB at its peak.',
  ],
  [
    'Why is the product list so slow? It takes four seconds.',
    'The query loads the price of every product one by one, 380 statements per page. I replaced them with one join and added an index on prices(product_id, valid_from). It takes 90 ms now.',
  ],
  [
    'Schreib bitte eine Mail an den Vermieter wegen der kaputten Heizung.',
    'Entwurf: „Sehr geehrter Herr Brandt, seit dem 3. November fällt in der Wohnung im zweiten Stock die Heizung aus. Bitte beauftragen Sie zeitnah einen Installateur …“ Soll ich eine Frist nennen?',
    'Ja, zwei Wochen.',
    'Ergänzt: „Ich bitte um Behebung bis zum 19. November.“',
  ],
  [
    'Welche Rechnungen von der Stadtwerke GmbH sind noch offen?',
    'Zwei Rechnungen sind unbezahlt: 2026-0417 über 183,20 Euro (Strom) und 2026-0533 über 61,75 Euro (Wasser). Die Mahnung vom 2. Oktober bezieht sich auf die erste.',
    'Überweise nur die Stromrechnung.',
  ],
  [
    'Help me plan a trip to Lisbon in May with two kids.',
    'Suggestion: four nights near Campo de Ourique, which is quiet and close to tram 28. Day trips: the aquarium in Parque das Nações and the beach of Cascais by train (40 minutes).',
    'My daughter is allergic to peanuts, keep that in mind for restaurants.',
    'Noted. I chose places that list allergens: Time Out Market, Honest Greens and Pizzaria Lisboa.',
  ],
  [
    'What should I cook for Sunday? My parents are coming, dad is diabetic.',
    'Braised chicken with fennel and white beans, a green salad, and baked apples with walnuts instead of a sweet dessert. Everything except the salad can be prepared on Saturday.',
  ],
  [
    'The CI pipeline became really slow, over 25 minutes.',
    'Most of the time goes into npm ci and the end-to-end tests. I cached ~/.npm by the hash of package-lock.json and split Playwright into four shards. A run takes 9 minutes now.',
    'And the flaky checkout test?',
    'It clicked before the payment iframe had loaded. It waits for the iframe now; 200 repetitions passed.',
  ],
  [
    'Rotate the API key of the weather service, the old one leaked into a log.',
    'I created a new key, stored it in the vault under weather/prod and restarted the three workers that read it. The leaked key is revoked, and the log line masks the query string now.',
  ],
  [
    'Can we drop support for Node 18?',
    'Yes: telemetry shows 0.4 % of the installations, and it has been end of life since April 2025. I raised engines.node to ">=20.11" and removed the fetch polyfill.',
    'Mention it in the changelog as a breaking change.',
  ],
  [
    'I want to learn some Spanish before the summer, half an hour a day.',
    'Plan: Monday to Friday 20 minutes of listening (Notes in Spanish), 10 minutes of flash cards with the 1,000 most frequent words. Saturdays: one conversation on italki. We check the progress every fourth week.',
  ],
  [
    'The users in Japan see wrong dates in the calendar export.',
    'The export formats times in UTC and drops the zone. Events after 15:00 UTC therefore appear on the previous day in Tokyo. I write TZID=Asia/Tokyo and local times into the ICS file now.',
  ],
  [
    'Move the image uploads from the server to S3.',
    'Uploads go directly to the bucket shop-media-eu with a presigned URL that is valid for ten minutes. The old files were copied with rclone (212 GB), and nginx redirects the old addresses.',
    'What does that cost us each month?',
    'About 5.10 dollars for storage and 11 dollars for traffic at the current volume.',
  ],
  [
    'Our newsletter lands in the spam folder at Gmail.',
    'The DKIM signature was missing because the new sender domain has no CNAME record. I prepared both records for the DNS provider, and DMARC stays at p=none for a month, so that we can read the reports first.',
  ],
  [
    'Train a small classifier for the support tickets.',
    'Logistic regression on TF-IDF reaches 87 % accuracy on 4,200 labelled tickets, the fine-tuned MiniLM 91 %. I suggest the simple one: it needs no GPU and explains its decision with the strongest words.',
    'OK, take the simple model then.',
  ],
  [
    'Please summarise the meeting with the Hamburg customer.',
    'They accept the price of 48,000 euros but want the warehouse interface first. Frau Petersen sends the field list by Friday. Go-live moves from March to the 12th of April. Open: who pays for the second test system.',
  ],
  [
    'The battery of my laptop drains overnight even though the lid is closed.',
    'The log shows that it never enters deep sleep: mem_sleep is set to s2idle. I added mem_sleep_default=deep to the kernel parameters; after a reboot it lost 2 % in nine hours.',
  ],
  [
    'Write a script that renames my photos by the date they were taken.',
    'rename-photos.sh reads DateTimeOriginal with exiftool and renames to 2026-08-14_153012.jpg. Pictures without EXIF data stay where they are and are listed at the end.',
    'It crashed on HEIC files from the iPhone.',
    'The old exiftool did not know HEIC. Version 12.76 does; the script checks the version first.',
  ],
  [
    'Refactor the report module, nobody understands it any more.',
    'I split report.py (1,900 lines) into collect, aggregate and render. Behaviour is unchanged: the 63 golden files are byte-identical. The circular import with billing is gone.',
  ],
  [
    'My knees hurt after running. What can I do?',
    'Reduce the weekly distance by a third for two weeks, run on soft ground, and add squats and clamshells three times a week. If the pain stays for more than three weeks, see a physiotherapist.',
    'I ordered new shoes, Brooks Ghost in 43.',
  ],
  [
    'Our Kubernetes pods are evicted at night.',
    'The nodes run out of ephemeral storage because the log collector buffers to emptyDir. I limited the buffer to 2 Gi and moved it to a persistent volume.',
  ],
  [
    'Which database should the analytics team use?',
    'ClickHouse fits best: 3 billion rows, mostly aggregations over time, almost no updates. Timescale would be easier to run, but the month view took 14 seconds there and 0.6 seconds in ClickHouse.',
    'Then we take ClickHouse and start with one server.',
  ],
  [
    'Translate the release notes into French.',
    'Voici la traduction : « Cette version corrige la perte de brouillons lors de la synchronisation et accélère le démarrage de l’application. » Les captures d’écran restent en anglais.',
  ],
  [
    'Peux-tu vérifier pourquoi les factures ne sont plus envoyées aux clients ?',
    'Le serveur SMTP refusait la connexion : le certificat a expiré le 8 octobre. Je l’ai renouvelé et les 37 factures en attente sont parties ce matin.',
  ],
  [
    'Necesito configurar la impresora nueva en la oficina.',
    'La impresora Brother HL-L2400 está instalada por red con la dirección 192.168.4.60. El controlador genérico imprimía páginas en blanco, por eso instalé el del fabricante.',
  ],
  [
    'Какие ошибки были на сервере вчера ночью?',
    'С 03:12 до 03:20 сервер отвечал ошибкой 502: закончились соединения с базой данных. Я увеличил пул до 60 соединений.',
  ],
  ['帮我把上个月的销售数据整理成图表。', '已经用三月份的销售数据生成了柱状图，华东区增长最快，同比增加百分之十八。'],
  [
    'We get a lot of 429 answers from the GitHub API.',
    'Every worker polled on its own. There is one poller now that uses conditional requests with ETags, which do not count against the limit, and the workers read from it. We are at 12 % of the quota.',
  ],
  [
    'Is it legal to store IP addresses of visitors?',
    'Under the GDPR an IP address is personal data. Seven days for security purposes is widely accepted. I shortened the access log to seven days and anonymise the last octet in the statistics.',
  ],
  [
    'The search on our website finds nothing when people make typos.',
    'I added trigram matching with a threshold of 0.35 next to the exact search. "keybord" finds keyboards now; the exact hits stay on top.',
  ],
  [
    'Remind me what we agreed with the designer about colours.',
    'Primary is #0B5FFF, errors are #C62828, and contrast must be at least 4.5:1. Dark mode follows in the second half of the year.',
  ],
  [
    'I keep losing my SSH sessions to the build machine.',
    'The firewall of the office drops idle connections after five minutes. I set ServerAliveInterval 60 in ~/.ssh/config; it has been stable since.',
  ],
  [
    'Write unit tests for the discount calculation.',
    'There are 22 new tests. One found a real bug: the student discount was applied twice when a voucher was used as well. Rounding is now half to even, to the cent, at the end.',
  ],
  [
    'Buy or lease the new delivery van?',
    'Over four years leasing costs 19,400 euros and buying 17,900 including the resale value. Leasing is better if you expect the city to ban diesel by 2029. I would buy the electric one.',
    'We will lease it.',
  ],
  [
    'Add a dark theme to the settings page.',
    'The theme follows the system by default and can be overridden. The choice is stored in localStorage under ui.theme, and the flash of white at startup is gone, because a script in the head sets the class.',
  ],
  [
    'How did the load test of the checkout go?',
    'It held 340 orders per minute. Beyond that the payment provider throttles us, not our own services. P95 was 870 ms at 300 orders. The result is in perf/2026-10-checkout.md.',
  ],
  [
    'Please cancel the magazine subscription.',
    'I wrote to abo@magazin.example; they confirmed that it ends on 31 January. The last invoice was 47.40 euros.',
  ],
  [
    'Deploying to production failed with a timeout.',
    'The migration locked the orders table while it rewrote a column of 30 million rows. I split it into three steps: add the column as nullable, fill it in batches of 5,000, then set NOT NULL.',
    'When do we run it?',
    'On Thursday at 05:00, when there are the fewest orders.',
  ],
];
