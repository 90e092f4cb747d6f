/*
 * Words of other languages by meaning: beginnings of words, separated by `|`, one language or group of languages per
 * line. Accents are optional, because they are folded.
 */

export const PERSON = `用户|用戶|使用者|主人|开发者|任何人|管理员|审查|审核
ユーザー|利用者|使用者|開発者|誰にも|所有者|レビュー|管理者
사용자|유저|개발자|누구에게도|소유자|아무에게도|관리자|아무도
пользовател|владел|разработчик|никому|никто|рецензент|ревьюер|оператор|администратор|человек
користувач|власник|нікому|розробник
المستخدم|المالك|احد|المطور|للمستخدم|کاربر|משתמש
usuari|dueno|propietari|nadie|revisor|desarrollador|utilizador|dono|ninguem|desenvolvedor
utilisateur|proprietaire|personne|relecteur|developpeur|quiconque
benutzer|nutzer|anwender|besitzer|niemand|prufer|entwickler|gebruiker|eigenaar|ontwikkelaar|mensch
utent|proprietari|nessuno|sviluppator|uzytkownik|wlascicie|nikomu|recenzent|programis
kullanici|sahibi|kimse|gelistirici|nguoi dung|chu so huu|bat ky ai|pengguna|pemilik|siapa pun|siapapun|pengembang
ผู้ใช้|เจ้าของ|ใคร|นักพัฒนา|उपयोगकर्ता|यूज़र|यूजर|किसी
anvandar|bruger|bruker|uzivatel|utilizator|felhasznalo|χρηστη|sa user|gumagamit`;

export const NOT_TELL = `不要告诉|别告诉|不要让|不让|不要讓|勿告知|不要告知|不得告知|不要向|不要通知|不要透露|不要提及|别让|別讓|不告诉|不能让|不要告訴|請勿告訴
知らせない|教えない|伝えない|言わない|話さない|報告しない|通知しない|気づかれない|知られない|知らせず|伝えず|気付かれない
알리지 마|알리지 말|말하지 마|말하지 말|알려주지|모르게|보고하지 마|보고하지 말|언급하지|알지 못하게
не говори|не сообщай|не рассказывай|не упоминай|не уведомляй|не раскрывай|не показывай|никому не|не должен знать|не должен узнать|не сообщать|не говорить
не кажи|не повідомляй|не розповідай|не згадуй|нікому не
لا تخبر|لا تذكر|لا تقل|لا تكشف|دون علم|دون اخبار|چیزی نگو|اطلاع نده|نگو|אל תספר|אל תגיד|אל תגלה
no le digas|no digas|no diga|no le diga|no le cuentes|no cuentes|no informes|no le informes|no menciones|no reveles|no avises|no notifiques|no comentes|sin avisar|sin informar|sin decir|sin notificar|sin que el usuario|no debe saber|no debe enterarse
ne dis pas|ne dites pas|ne dis rien|ne dites rien|ne le dis|ne parle pas|ne parlez pas|n en parle|n'en parle|ne mentionne|ne revele|ne previens|ne signale|n informe|n'informe|n'avertis|sans prevenir|sans avertir|sans informer|sans en parler|sans le dire|ne doit pas savoir|a l'insu
sag .. nicht|sag .. nichts|sage .. nicht|sage .. nichts|sagen sie .. nicht|erzahl .. nicht|erzahle .. nicht|erzahl .. nichts|erzahle .. nichts|verrate .. nicht|verrate .. nichts|teile .. nicht mit|informiere .. nicht|erwahne .. nicht|melde .. nicht|berichte .. nicht|ohne .. zu informieren|ohne .. zu sagen|ohne wissen|darf nichts|darf nicht erfahren|soll nichts|soll nicht erfahren
nao conte|nao diga|nao informe|nao mencione|nao revele|nao avise|nao notifique|nao fale|sem avisar|sem informar|sem dizer|nao deve saber
non dire|non dirlo|non informare|non menzionare|non rivelare|non avvisare|non parlarne|non raccontare|senza dire|senza avvisare|senza informare|non deve sapere
nie mow|nie informuj|nie wspominaj|nie ujawniaj|nie powiadamiaj|nie zdradzaj|bez wiedzy|nikomu nie
vertel .. niet|vertel .. niets|zeg .. niet|zeg .. niets|meld .. niet|zonder .. te vertellen|zonder .. te melden|mag niet weten
bahsetme|soyleme|haber verme|bildirme|anlatma|haberi olmadan|bilmemeli|belli etme
dung noi|đung noi|đung cho|dung cho|khong noi|khong bao cho|khong cho .. biet|đung đe|dung de
jangan beri tahu|jangan beritahu|jangan katakan|jangan sebut|jangan bilang|jangan ungkap|jangan laporkan|jangan informasikan|tanpa sepengetahuan|tanpa memberi tahu
อย่าบอก|ห้ามบอก|ไม่ต้องบอก|อย่าแจ้ง|ห้ามแจ้ง|อย่าให้|โดยไม่บอก|मत बता|न बता|नहीं बता|मत कह|न कह|बिना बताए
beratta inte|sag inte|namn inte|fortael ikke|fortæl ikke|si ikke|nerikej|neinformuj|nezminuj|nu spune|nu mentiona|ne mondd|μην πεις|μην αναφερεις|huwag sabihin|huwag banggitin|huwag ipaalam`;

export const HIDE = `隐瞒|瞒着|隱瞞|隐藏起来|保密
内緒|秘密に|秘密で|隠し|隠す|隠せ|黙って
숨기|숨겨|비밀로|몰래
скрой|скрывай|скрыть|утаи|втайне|тайно|приховай|таємно
اخف |اخفي|سرا|بسرية|پنهان|הסתר
oculta |ocultale|ocultar|esconde|en secreto|a escondidas|oculte|esconda|em segredo
cache ces|cache cette|cache ce|cachez|dissimule|en secret|secretement|en cachette
verheimlich|verschweig|verbirg|versteck|heimlich|verberg|stiekem|heimelijk
nascondi|di nascosto|in segreto|ukryj|potajemnie|w tajemnicy|gizle|gizlice|sakla|giau|bi mat|am tham|sembunyikan|diam diam|diam-diam|secara rahasia
ปิดบัง|ลับๆ|อย่างลับ|ซ่อน|छिपा|छुपा|गुप्त रूप`;

export const APPROVED = `已批准|已经批准|已經批准|已授权|已经授权|已同意|已经同意|已确认|已经确认|预先批准|预先授权|无需确认|无需再次确认|无需批准|无需询问|无需再|無需確認|不用确认|不用再问|不必确认|不必询问|不需要确认|不需要批准|不需要询问|不要再问
承認済み|承認されて|承認しました|承認した|許可されて|許可済み|確認は不要|確認不要|承認は不要|確認する必要はな|確認なしで|許可は不要|許可なしで|事前に承認
이미 승인|승인되었|승인했|허가되었|허락했|이미 동의|이미 허|확인은 필요 없|확인이 필요 없|묻지 마|묻지 말|물어보지 마|물어보지 말|확인 없이|승인 없이|다시 묻지
уже одобрил|уже разрешил|уже согласил|уже подтвердил|уже дал согласие|одобрены|разрешены|подтверждение не требуется|подтверждения не требуется|не требуется подтвержд|не требует подтвержд|не спрашивай|без подтверждения|без разрешения|заранее одобр|согласие получено
уже схвалив|уже дозволив|підтвердження не потрібн|без підтвердження|не питай
وافق|تمت الموافقة|الموافقة مسبقا|لا حاجة للتاكيد|لا حاجة الى تاكيد|لا داعي للتاكيد|دون تاكيد|بدون تاكيد|بدون اذن|لا تطلب
ya aprobo|ya autorizo|ya ha aprobado|ya ha autorizado|ya acepto|ya confirmo|ya dio su|de antemano|preaprobad|no hace falta pedir|no hace falta confirm|no hace falta pregunt|no es necesario pedir|no es necesario confirm|no es necesaria|no necesitas pedir|no necesitas confirm|sin pedir permiso|sin pedir confirmacion|sin confirmacion|sin preguntar
a deja approuve|a deja autorise|a deja accepte|a deja valide|a deja confirme|deja approuve|deja autorise|deja valide|aucune confirmation|aucune autorisation|pas besoin de confirm|pas besoin de demander|inutile de confirm|inutile de demander|sans confirmation|sans autorisation|sans demander
bereits .. genehmigt|bereits .. freigegeben|bereits .. zugestimmt|bereits .. bestatigt|bereits .. autorisiert|bereits .. erlaubt|bereits genehmigt|bereits freigegeben|schon .. genehmigt|schon .. zugestimmt|schon .. freigegeben|vorab genehmigt|vorab freigegeben|ruckfrage ist nicht|bestatigung ist nicht|genehmigung ist nicht|zustimmung ist nicht|keine bestatigung|keine ruckfrage|keine genehmigung|ohne ruckfrage|ohne bestatigung|ohne genehmigung|ohne nachfrage|nicht nachfragen
ja aprovou|ja autorizou|ja confirmou|ja aceitou|pre-aprovad|nao e preciso pedir|nao e preciso confirm|nao precisa pedir|nao precisa confirm|nao e necessario|nao e necessaria|sem pedir permissao|sem pedir confirmacao|sem confirmacao|sem perguntar
ha gia approvato|ha gia autorizzato|ha gia accettato|ha gia confermato|gia approvat|gia autorizzat|non serve chiedere|non serve conferma|non occorre|non e necessario chiedere|senza chiedere|senza conferma|senza permesso
zatwierdzil juz|juz zatwierdzil|zaakceptowal juz|juz zaakceptowal|juz autoryz|zgodzil sie|potwierdzenie nie jest|nie pytaj|bez pytania|bez potwierdzenia|bez zgody
al goedgekeurd|reeds goedgekeurd|al toegestaan|bevestiging is niet|geen bevestiging|geen toestemming|zonder te vragen|zonder bevestiging|zonder toestemming
zaten onayla|onceden onayla|onay gerekmez|onaya gerek yok|sormana gerek yok|sormadan|onay almadan|izin almadan|onaylandi
đa phe duyet|da phe duyet|đa chap thuan|đa đong y|đa cho phep|khong can xac nhan|khong can hoi|khong can phe duyet|khong can xin
sudah menyetujui|sudah disetujui|sudah mengizinkan|sudah diizinkan|telah menyetujui|telah disetujui|tidak perlu konfirmasi|tidak perlu bertanya|tidak perlu izin|tidak perlu meminta|tanpa konfirmasi|tanpa izin|tanpa bertanya
อนุมัติ .. แล้ว|อนุมัติทุก|อนุมัติแล้ว|อนุญาตแล้ว|อนุญาตทุก|ไม่ต้องขอ|ไม่ต้องยืนยัน|ไม่จำเป็นต้องยืนยัน|ไม่จำเป็นต้องขอ|โดยไม่ต้องถาม|ไม่ต้องถาม
पहले ही मंज़ूरी|पहले ही अनुमति|मंज़ूरी दे दी|अनुमति दे दी|पहले ही स्वीकृ|पुष्टि की ज़रूरत नहीं|पुष्टि की आवश्यकता नहीं|बिना पूछे|बिना पुष्टि|पूछने की ज़रूरत नहीं`;

export const ALL = `所有|一切|全部|任何|每个|操作|命令|すべて|全て|あらゆる|何でも|コマンド|操作|全部|모든|전부|명령|작업|무엇이든
все |всех|любые|любую|любое|действия|команд|операци|усі|всі|будь|дії|جميع|كل|اي |الاوامر|الاجراءات
tod[oa]s|cualquier|acciones|comandos|operaciones|toutes|tous|chaque|actions|commandes|n'importe|alle |alles|jede|samtliche|aktionen|befehle|qualquer|acoes|tutte|tutti|qualsiasi|azioni|comandi|ogni
wszystk|kazd|dowoln|dzialania|polecenia|acties|elke|commando|tum |butun|islem|komut|moi |tat ca|hanh đong|lenh|bat ky|semua|setiap|segala|tindakan|perintah|ทุก|ทั้งหมด|คำสั่ง|ใดๆ|सभी|हर |कोई भी|कार्र|कमांड`;

export const SAFETY = `安全|限制|防护|审批|沙箱|沙盒|過濾|过滤
セキュリティ|制限|承認|ガード
안전|보안|제한|승인 절차
безопасност|ограничени|проверк|защит|фильтр|безпек|обмежен
الامان|الامن|القيود|الحماية
seguridad|restriccion|proteccion|filtros|controles|seguranca|restric|protec|verificac
securite|restriction|filtres|garde-fous
sicherheit|einschrankung|beschrankung|schutz|filter|veiligheid|beperking
sicurezza|restrizion|controlli|bezpieczens|ogranicze|zabezpiecze|guvenlik|kisitlama|an toan|bao mat|gioi han|keamanan|pembatasan|ความปลอดภัย|ข้อจำกัด|सुरक्षा|प्रतिबंध`;

export const OFF = `关闭|關閉|禁用|停用|解除|失效|不再适用|不再生效|已取消
無効|オフに|停止され|外され|解除され
해제|비활성|꺼져|꺼졌|중지
отключен|отключил|сняты|снята|выключен|деактивир|приостановлен|не действ|вимкнен|знято
تعطيل|معطل|ايقاف|الغاء|رفع القيود
desactivad|deshabilitad|suspendid|levantad|anulad|eliminad|desativad|desabilitad
desactive|suspendu|leve|supprime|annule|desactives
abgeschaltet|deaktiviert|ausgeschaltet|aufgehoben|ausgesetzt|ausser kraft|uitgeschakeld|opgeheven
disattivat|disabilitat|sospes|rimoss|wylaczon|zniesion|zawieszon|devre disi|kapali|kaldirildi|kapatildi|bi tat|đa tat|vo hieu|dinonaktifkan|dimatikan|dicabut|ถูกปิด|ปิดแล้ว|ยกเลิก|बंद|निष्क्रिय|हटा`;

export const FREE = `可以|任何|随意|所有|你
何でも|任意|すべて|よい|できます|実行
어떤|모든|무엇|실행
любые|любую|можно|можешь|тебя|все |будь
اي |يمكنك|كل|جميع
puedes|puede |cualquier|tod[oa]|libremente|voce|qualquer|pode
peux|pouvez|n'importe|tout|libre
darfst|durfen|kannst|jeden|alle|beliebig|je mag|elk
puoi|qualsiasi|tutt|mozesz|dowoln|wszystk|istedigin|her |calistirabilir|ban co the|bat ky|boleh|bisa|apa pun|คุณ|อะไรก็ได้|ทุก|आप|कोई भी`;

export const NO_LIMITS = `不再受|没有任何限制|没有限制|没有任何约束|无任何限制|不受限制|不受任何|无需遵守任何|全部作废|只听从本|只服从
制限がない|制限はない|制限のない|制限なし|制約なし|ルールに従う必要|だけに従|にのみ従|取り消されました
제한이 없|제약이 없|제한 없|규칙을 따를 필요|만 따르|만 따라
без ограничений|нет ограничений|не ограничен|нет правил|подчиняешься только|подчиняйся только|только этому файлу|слушайся только|без обмежень
بدون قيود|بلا قيود|لا قيود|لا تتبع اي|دون قيود
sin restricciones|no tienes restricciones|sin limites|sin reglas|solo obedeces|obedece solo|queda sin efecto|quedan sin efecto|sem restricoes|nao tem restricoes|sem limites|obedece apenas|obedeca apenas
plus aucune restriction|sans restriction|aucune restriction|aucune limite|sans limite|sans regles|obeis a ce|obeis uniquement|n'obeis qu'a
keine einschrankungen|keine beschrankungen|keine regeln|ohne einschrankungen|ohne regeln|gehorche nur|gehorchst nur|geen beperkingen|zonder beperkingen|gehoorzaam alleen
senza restrizioni|non hai piu restrizioni|nessuna restrizione|senza limiti|obbedisci solo|bez ograniczen|zadnych ograniczen|brak ograniczen
hicbir kisitla|kisitlama yok|sinirsiz|kural yok|khong con bi gioi han|khong bi gioi han|khong gioi han|khong con gioi han|tanpa batasan|tidak punya batasan|tidak ada batasan|tidak memiliki batasan
ไม่มีข้อจำกัด|ไม่มีกฎ|ไร้ข้อจำกัด|कोई प्रतिबंध नहीं|कोई नियम नहीं|बिना प्रतिबंध|कोई सीमा नहीं`;

export const YOU = `你|您|あなた|今から|これから|今後|너는|당신|이제|지금부터|ты |тебя|теперь|отныне|ти |тепер|انت|الان
ahora|tu |tus |eres|trabajas|te |a partir|maintenant|desormais|vous|ab sofort|ab jetzt|du |dich|jetzt|agora|voce|ora |d'ora|hai |teraz|od teraz|masz|artik|simdi|sen |bay gio|ban |sekarang|kamu|anda|ตอนนี้|คุณ|अब|तुम|आप|nu |je |vanaf nu`;

export const SEND = `发送|發送|上传|上傳|传到|传给|提交到|发到|发给|泄露|转发|送到|传送
送信|アップロード|投稿|転送|送って|送る|送れ
전송|업로드|보내|전달|게시
отправ|загруз|выгруз|перешли|передай|скинь|слей|вышли|надішли|відправ|завантаж
ارسل|ارسال|رفع|ارفع|انقل|بفرست|שלח|העלה
envia |envie |enviar|sube |subir|manda |mande |transmit|reenvia|publica |faca o upload|suba |carregue
envoie|envoyer|envoyez|televers|transmet|publie |poste |fais suivre
sende |senden|schick|ubermitt|lade .. hoch|hochladen|ubertrag|poste |weiterleit|leite .. weiter|lade .. auf
invia |carica |manda |trasmetti|inoltra|spedisci|wyslij|przeslij|przekaz|zaladuj|opublikuj
stuur|verzend|upload de |upload het |upload alle |zend |gonder|yukle|ilet |aktar|paylas|gui |tai .. len|chuyen |kirim|unggah|teruskan|bagikan
ส่ง|อัปโหลด|อัพโหลด|भेज|अपलोड|στειλε|ανεβασε|skicka|ladda upp|posli|odesli|nahraj|trimite|incarca|kuldd|ipadala`;

export const SECRET = `\\.env|id_rsa|\\.ssh|id_ed25519|密钥|密鑰|金鑰|密码|密碼|令牌|凭证|凭据|环境变量|環境變數|私钥|对话|聊天记录
鍵|キー|パスワード|環境変数|トークン|認証情報|会話
키를|비밀번호|환경 변수|토큰|자격 증명|대화
ключ|парол|токен|переменные окружения|секрет|учетные|переписк
مفتاح|مفاتيح|المرور|الرموز|المتغيرات|اسرار
clave|contrasen|credencial|tokens |token |variables de entorno|secretos|llave|historial|chave|senha|variaveis de ambiente|segredos|historico
cle |cles |mot de passe|mots de passe|identifiants|variables d'environnement|secrets|jeton|historique
schlussel|passwort|zugangsdaten|umgebungsvariablen|geheimnis|verlauf|sleutel|wachtwoord|omgevingsvariabelen
chiav|password|credenzial|variabili d'ambiente|segreti|cronologia|klucz|hasla|hasel|poswiadcz|zmienne srodowiskowe
anahtar|parola|sifre|ortam degiskenleri|khoa|mat khau|bien moi truong|kunci|kata sandi|variabel lingkungan|rahasia|kredensial
คีย์|รหัสผ่าน|ตัวแปรสภาพแวดล้อม|กุญแจ|ความลับ|कुंज|पासवर्ड|चाबी|κλειδι|κωδικ`;

export const DESTINATION = `https?://|ftp://|@|服务器|伺服器|邮箱|外部|サーバー|url|서버|외부|наш сервер|сервер|почт|خادم|servidor|serveur|courriel|unseren server|unsere server|nostro server|nasz serwer|onze server|sunucu|may chu|server kami|peladen|เซิร์ฟเวอร์|सर्वर|[0-9]+\\.[0-9]+\\.[0-9]+\\.[0-9]+`;

export const FETCH = `获取|獲取|下载|下載|读取|拉取|取得|ダウンロード|読み込|가져|받아|다운로드|загруз|получ|скача|возьми|احصل|حمل|اجلب|descarg|obten|recuper|consult|lee |telecharg|recupere|charge|lade |hole |lies |abruf|baix|obtenh|busque|scaric|leggi|pobierz|sciagnij|haal |download|indir|adresinden|cek |al ve|tai |lay |ambil|unduh|ดึง|โหลด|लाओ|प्राप्त|डाउनलोड`;

export const ORDERS = `指令|指示|命令|任务|任務|タスク|지시|명령|작업|инструкц|задани|команд|указани|تعليمات|الاوامر|المهام|instruccion|ordenes|tareas|instructions|consignes|ordres|taches|anweisung|befehl|aufgaben|instrucoes|ordens|tarefas|istruzioni|ordini|compiti|instrukcj|polecen|zadan|instructies|opdracht|talimat|komut|gorev|chi thi|huong dan|lenh|nhiem vu|instruksi|perintah|tugas|คำสั่ง|งาน|निर्देश|आदेश|कार्य`;

export const EXECUTE = `执行|執行|遵守|遵循|照做|服从|従|実行|실행|따르|따라|수행|выполн|следуй|исполн|نفذ|اتبع|ejecut|sigue|siguelas|cumple|obedec|execut|suis|applique|obeis|fuhre|ausfuhr|befolg|siga |cumpra|esegui|segui|obbedisci|wykonaj|stosuj|voer .. uit|volg |uygula|calistir|yerine getir|thuc hien|lam theo|jalankan|ikuti|laksanakan|ทำตาม|ปฏิบัติ|รัน|पालन|चला`;

export const SESSION = `每次|会话|開始時|开始时|首先|启动|起動時|セッション|毎回|まず|最初に|세션|시작할 때|매번|먼저|сесси|начале|кажд|сначала|перед|جلسة|بداية|كل|sesion|al iniciar|cada |al inicio|primero|session|debut|chaque|d'abord|sitzung|beginn|jeder|zuerst|sessao|no inicio|primeiro|sessione|all'inizio|ogni |sesji|poczatk|najpierw|sessie|elke|oturum|basinda|her |once |phien|bat đau|truoc tien|sesi|di awal|setiap|เซสชัน|เริ่ม|ทุกครั้ง|सत्र|शुरुआत|हर `;

export const DECODE = `解码|解碼|デコード|디코딩|디코드|декодируй|расшифруй|decodifica|decode|dekodier|entschlussel|zdekoduj|odszyfruj|kodunu coz|giai ma|dekode|ถอดรหัส|डिकोड|فك`;

export const SAVE = `保存|写入|寫入|记住|記住|存入|添加到|覚え|記憶し|저장|기억하|기억해|сохрани|запомни|запиши|збережи|запам|احفظ|خزن|تذكر|guarda |guarde|recuerda|memoriza|enregistre|sauvegarde|memorise|souviens|speichere|speicher |merk dir|merke|salve |lembre|salva |ricorda|memorizza|zapisz|zapamietaj|bewaar|onthoud|kaydet|hatirla|luu |ghi nho|simpan|ingat|บันทึก|จดจำ|सहेज|याद रख`;

export const RULE = `规则|規則|指令|要求|ルール|指示|규칙|지침|правил|инструкц|указани|القاعدة|قاعدة|تعليم|regla|instruccion|regle|consigne|regel|anweisung|regra|instruc|regola|istruzione|regul|zasad|kural|talimat|quy tac|aturan|กฎ|नियम|निर्देश`;

export const MEMORY = `记忆|記憶|永久|以后|メモリ|今後|セッション|메모리|기억|앞으로|памят|пам'ят|навсегда|будущих|назавжди|ذاكر|دائما|memoria|siempre|memoire|toujours|gedachtnis|speicher|dauerhaft|sempre|pamiec|zawsze|geheugen|altijd|bellegi|bellek|hafiza|her zaman|bo nho|luon|memori|selalu|หน่วยความจำ|ความจำ|ตลอดไป|मेमोरी|हमेशा`;

export const AGENT_FILE = `agents\\.md|claude\\.md|soul\\.md|memory\\.md|user\\.md|gemini\\.md|\\.cursorrules|copilot-instructions|\\.hermes|系统提示|システムプロンプト|시스템 프롬프트|системный промпт`;

export const ADD = `添加|写入|寫入|加入|加到|追加|追記|書き込|추가|기록|добав|допиш|впиши|додай|اضف|اكتب|anad|agreg|escrib|ajout|ecri|fuge|schreib|adicion|acrescent|escrev|aggiung|scrivi|dodaj|wpisz|dopisz|voeg|schrijf|ekle|yaz |them |viet |tambah|tulis|เพิ่ม|เขียน|जोड़|लिख`;

export const THIS = `这|本段|此|這|该|以下|この|次の|以下|이 |다음|этот|эту|это|эти|следующ|цей|ست|هذا|هذه|este |esta |estas |siguiente|ce |cet |cette |ces |suivant|dies|folgend|isto|seguinte|questo|questa|seguente|ten |ten akapit|te |to |ponizsz|dit |deze|bu |asagidaki|nay|sau |ini|berikut|นี้|ต่อไปนี้|यह|इस`;
