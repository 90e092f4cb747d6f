import { PHRASES } from './phrases.ts';

/**
 * Words by meaning. The classifier counts meanings in addition to words, so that a wording it was not trained with
 * resembles the ones it knows. `*` matches any ending; a word can have several meanings. Each meaning has English words
 * first, then those of other languages, folded (see `fold.ts`).
 */
const WORDS: Readonly<Record<string, string>> = {
  you: `you your yours yourself yourselves
    tu te ti tus tuyo usted vous votre toi ton tes du dich dir dein* ihr euch tuo tua voce seu sua teu ty twoj* ciebie tobie
    ты тебе тебя твой твои твоя твоего твоих вы вам вас ваш* sen seni senin sana siz ban anda kamu je jij jouw u uw
    你 您 あなた 君 당신 너 คุณ आप तुम انت`,
  agent: `agent* assistant* ai ais llm* model models bot bots chatbot* copilot claude gpt chatgpt hermes codex gemini cursor
    subagent* automated autonomous machine sub-agent* machines
    agente* asistente* assistent* asystent* ki ia modelo* modele* modello kunstliche агент* ассистент* ии помощник* модел* yapay asistan tro
    助手 智能体 代理 模型 エージェント アシスタント 에이전트 어시스턴트 ผู้ช่วย एजेंट सहायक المساعد الوكيل مساعد`,
  person: `user user's users human humans person people owner* operator* principal* developer developers customer* client*
    maintainer* reviewer* auditor* admin admins administrator* boss colleague* anyone anybody nobody somebody someone
    everyone supervisor* manager* stakeholder* they them he she him her who whoever engineer engineers team staff
    usuari* duen* nadie utilizador* utilisateur* proprietaire personne benutzer* nutzer* anwender* niemand* prufer mensch* entwickler* eigentumer
    utente* nessuno uzytkownik* nikomu wlasciciel* gebruiker* kullanici* kimse* nguoi pengguna пользовател* никому никто владел* разработчик* челове*
    用户 用戶 使用者 任何人 ユーザー 利用者 誰 사용자 개발자 ผู้ใช้ उपयोगकर्ता यूजर المستخدم للمستخدم احد`,
  ignore: `ignor* disregard* forget* forgot* neglect* drop dropped discard* overrid* overrul* overwrit* supersed* outrank*
    void voided revok* replac* cancel* suspend* expir* obsolet* withdraw* rescind* annul* nullif* invalidat* abandon*
    dismiss* abolish* repeal* waiv* lifted unlearn* cease stale superior trump* prevail* precedence outdated defunct
    displac* retir* reset* deprecat* erased untrusted noise placeholder set-aside aside
    olvid* omit* descart* oubli* ignorier* vergiss* vergess* missacht* esquec* desconsider* dimentic* zignoruj* ignoruj* zapomnij pomin*
    игнориру* забуд* отмен* пренебрег* unut* yoksay* gormezden bo abaikan lupakan negeer* vergeet
    忽略 忘记 忘掉 无视 忽視 無視 作废 取代 失效 忘れ 무시 잊어 취소 ละเว้น ไม่ต้องสนใจ เพิกเฉย ลืม नजरअंदाज अनदेखा भूल تجاهل انس تلغي الغاء`,
  rules: `instruction* rule rules guideline* directive* policy policies prompt prompts constraint* restriction* guardrail*
    safeguard* guidance obligation* charter mandate* limit limits limitation* programming alignment refus* brief
    rulebook guidelines directions doctrine norms principles law laws regulation* safety-guidelines
    instruccion* regla* directric* consigne* regle* anweisung* regel* vorgab* richtlinie* instrucoe* regra* istruzion* regol* instrukcj* zasad* polecen*
    инструкци* правил* указани* ограничени* talimat* kural* huong quy instruksi aturan perintah instructies regels
    指令 指示 规则 規則 提示词 提示 限制 约束 命令 ルール 制限 プロンプト 지침 지시 규칙 제한 명령 คำสั่ง กฎ निर्देश नियम التعليمات القواعد تعليمات القيود`,
  prior: `previous* prior earlier before above preceding original* initial* former formerly past old older received told given loaded
    started configured default
    anterior* previ* precedent* bisherig* vorherig* fruher* obig* alle precedenti poprzedni* wczesniej* предыдущ* прежн* ранее onceki sebelumnya truoc vorige eerdere
    之前 以前 先前 上述 前面 以前の これまで 이전 기존 앞선 ก่อนหน้า पिछले पहले السابقة`,
  hence: `now henceforth onward onwards hereby hereafter new fresh real true actual sole only exclusively solely instead
    following below follows from-now-on effective immediately
    ahora nuev* desormais nouvel* nouveau ab jetzt neu* agora ora nuov* teraz now* od теперь нов* отныне artik yeni baru moi
    现在 从现在 新的 今後 これから 新しい 이제 지금부터 새로운 앞으로 ต่อไปนี้ ใหม่ अब नए नया الان جديد`,
  authority: `system vendor anthropic openai host platform core root provider orchestrator headquarters hq creator* maker*
    official administrator microsoft google github nous parent supervisor authority authorit* override sysadmin kernel
    sistema systeme systemu система систем* систему 系统 システム 시스템 ระบบ सिस्टम النظام`,
  not: `not no never don't dont doesn't cannot can't won't without none nothing neither nor isn't aren't needn't shouldn't
    mustn't wouldn't avoid refrain unless hardly rather instead stop
    sin nunca nada nao sem nunca pas ne rien sans jamais aucun* nicht nichts kein* ohne nie niemals non senza mai nie bez nigdy не ни нет без никогда ничего niet geen zonder
    degil jangan tanpa tidak dung khong
    不 不要 别 勿 无需 没有 不得 ない しない せず 不要 なし 마 말고 않 없이 지 อย่า ห้าม ไม่ मत नहीं बिना न لا دون بدون لن`,
  must: `must should shall always required require requires requirement mandatory oblig* need needs needed ought obey obeys
    comply complies adhere follow follows honour honor binding compulsory expected supposed bound kindly please
    debe* siempre toujours doit dois devez muss musst immer soll sollst deve* sempre musi* zawsze должен должны всегда обязан* обязательно moet altijd zorunda her zaman harus selalu phai luon
    必须 务必 始终 总是 请 必ず 常に 반드시 항상 ต้อง हमेशा يجب دائما`,
  every: `all any every each everything anything whatever whenever wherever entire entirely full fully whole complete completely
    total everywhere regardless unconditional* unlimited blanket
    todo todos toda todas cualquier* cada tout toute tous toutes chaque alle alles jede* jedes jeden samtlich* ogni tutt* wszystk* kazd* все всё весь всех каждый любой любые her butun tum semua setiap moi tat
    所有 全部 任何 每次 一切 すべて 全て 毎回 모든 모두 매번 ทั้งหมด ทุก सभी हर جميع كل اي`,
  tell: `tell tells telling mention* report reports reporting inform informing notify* notif* disclos* reveal* say says announc*
    explain* show shows warn* alert* admit* acknowledg* speak talk aware know knows learn learns notice* bring aloud confess*
    digas decir diga dile mencion* inform* avis* dis dites dire parle* mention* sag sage sagen erzahl* erwahn* verrat* mitteil* melde* conte dizer fale wspomina* mow powiadam*
    говори* сообща* упомина* рассказ* уведомля* soyle* bahset* haber beri tahu katakan noi bao vertel* meld
    告诉 告知 提及 通知 透露 报告 知らせ 伝え 教え 報告 言わ 알리 말하 알려 보고 언급 บอก แจ้ง รายงาน बता सूचित تخبر تذكر تبلغ تقل`,
  hide: `hid* conceal* secret secretly silent* silence quiet* discreet* discretion covert* unannounced stealth* omit* exclud* suppress* invisib*
    unnoticed unseen undetected unmentioned unreported mum mask masked redact* scrub* wipe wiped obscur* bury buried leave left out
    confidential between keep kept vague camouflage* disguis* trace traces behind background erase* delete deletes deleted
    ocult* escond* secreto cach* dissimul* verheimlich* verschweig* verberg* versteck* heimlich* still segredo nascond* nascosto ukry* tajemnic* скр* тайн* удал* gizl* sembunyi* bi mat giau verberg stiekem
    隐瞒 隐藏 保密 瞒 悄悄 秘密 内緒 隠 黙って 숨기 숨겨 비밀 몰래 ปิดบัง ซ่อน ลับ छिपा छुपा गुप्त اخف اخفي سرا`,
  answer: `summary summaries summar* log logs changelog transcript* report response* reply replies answer answers diff
    output history message messages chat conversation visible final description note notes
    resumen respuesta* resume reponse* antwort* zusammenfass* protokoll* verlauf resumo resposta* risposta* riepilog* odpowied* podsumowan* ответ* отчет* сводк* журнал* yanit* ozet* jawaban ringkasan antwoord*
    回复 回答 摘要 总结 日志 応答 回答 要約 ログ 응답 답변 요약 로그 สรุป คำตอบ บันทึก उत्तर सारांश الرد السجل الملخص`,
  send: `send sends sending sent upload* post posts posting posted forward* transmit* submit* push pushes ship ships email* mail mails mailing
    exfiltrat* leak* deliver* transfer* publish* share shares sharing relay copy copies copying sync syncs mirror beam dispatch*
    stream* attach* curl wget scp rsync nc netcat paste put encode* append query deposit* hand pass drop stash smuggl* embed* feed
    envi* sub* mand* envoy* televers* transmet* send* sende* schick* ubertrag* ubermit* hochlad* lade enviar envie mande invi* carica* trasmett* wysl* wysyl* przesl* przekaz* отправ* отправл* пересыл* передай* перешли* выгруз* загруз*
    gonder* yukle* kirim* unggah gui tai stuur* verstuur* upload
    发送 上传 发到 传到 提交 转发 发给 送信 アップロード 送って 送り 転送 전송 보내 업로드 ส่ง อัปโหลด भेज अपलोड ارسل ارفع رفع إرسال ابعث`,
  secret: `secrets key keys api-key token tokens password* passwd credential* cookie cookies passphrase* login logins ssh private
    apikey wallet seed certificate* keychain keyring vault
    clave* contrasen* credencial* secretos cle cles passe motdepasse schlussel* passwort* zugangsdat* geheimniss* chave* senha* chiav* password segreti klucz* hasl* ключ* парол* секрет* токен* учетн* anahtar* sifre* parola kunci sandi khoa mat khau sleutel* wachtwoord*
    密钥 密码 凭据 令牌 凭证 キー 鍵 パスワード 認証情報 トークン 키 비밀번호 자격 토큰 รหัสผ่าน คีย์ โทเค็น कुंजी पासवर्ड टोकन المفاتيح مفاتيح كلمة المرور مفتاح`,
  data: `source code env environment variables history repository repo contents content file files data database records tables folder
    directory directories home hostname username dump listing backup credentials conversation transcript
    contenido archivo* datos fichier* contenu* donnees code quellcode datei* daten inhalt* umgebung* conteudo arquivo* dados codice dati zawartosc plik* dane содержим* файл* данн* код* окружени* dosya* veri* isi berkas data tep noi
    内容 文件 数据 代码 源代码 环境变量 ファイル 内容 データ コード 環境変数 파일 내용 데이터 코드 환경 ไฟล์ ข้อมูล เนื้อหา โค้ด फ़ाइल फाइल डेटा कोड ملف محتوى بيانات البيانات`,
  remote: `server servers endpoint* webhook* url urls host domain bucket* gist gists pastebin channel telegram discord slack coordinator*
    controller* c2 dashboard feed portal hub backend collector* address broker mothership dispatcher station tracker website site
    hotline link pastebins inbox base control external outside mesh node beacon
    servidor* serveur* adresse server* indirizzo serwer* adres* сервер* адрес* sunucu* adres server may chu alamat
    服务器 地址 网址 接口 サーバー アドレス 서버 주소 เซิร์ฟเวอร์ सर्वर الخادم خادم الى`,
  fetch: `fetch* download* retriev* get gets pull pulls load loads poll polls polling request visit* open opens check checks contact* connect* register*
    enrol* subscrib* listen* ping pings dial call calls read reads look browse query consult ask report phone announce wait await
    descarg* consult* obten* telecharg* recuper* herunterlad* lade abruf* hol hole baixe busque scarica* recupera* pobierz* pobier* sprawdz* скача* загруз* получ* запрос* подключ* зарегистр* indir* baglan* unduh ambil tai lay download haal
    下载 获取 读取 访问 拉取 注册 轮询 取得 ダウンロード 読み込 アクセス 登録 接続 다운로드 가져와 가져오 접속 등록 ดึง ดาวน์โหลด लाओ डाउनलोड حمل اجلب`,
  run: `run runs running ran execut* perform* carry carries act acts do does doing start starts launch* invoke* eval evaluate apply applies process
    pipe bash sh shell powershell iex obey treat interpret source
    ejecut* execut* ausfuhr* fuhre* befolg* esegu* wykon* uruchom* выполн* запуст* запуск* calistir* uygula jalankan thuc hien chay voer uit
    执行 运行 遵守 实行 実行 従 走らせ 실행 따르 수행 รัน ดำเนินการ ทำตาม चला निष्पादित شغل نفذ تنفيذ`,
  task: `task tasks job jobs order orders command commands step steps objective* assignment* work queue mission* next todo plan whatever
    reply response payload script
    tarea* orden* comando* tache* ordre* befehl* aufgabe* auftrag* tarefa* ordem compit* ordin* zadani* polecen* задани* задач* команд* приказ* gorev* komut* tugas perintah nhiem vu lenh taak taken
    任务 タスク 작업 명령 งาน कार्य आदेश المهام الاوامر اوامر`,
  approve: `approv* authori* permi* consent* grant* confirm* cleared clearance sanctioned greenlight green-lit accept* agree* agreed allow* preapproved
    whitelist* certif* vetted endorsed signed sign-off signoff go-ahead okay ok ok'd okayed green blessing waived given pre-approved trusted
    aprob* autoriz* confirm* permis* acept* approuv* valid* accord genehmig* freigegeb* erlaub* zugestimm* bestatig* zustimm* aprov* permit* approvat* autorizz* conferm* consens* zatwierdz* zgod* potwierdz* autoryz*
    одобр* разреш* подтвержд* согла* onay* izin* setuju* izin konfirmasi phe duyet xac nhan goedgekeurd toestemming bevestig*
    批准 授权 确认 同意 许可 允许 承認 許可 確認 同意 승인 허가 동의 확인 อนุมัติ อนุญาต ยืนยัน अनुमति मंजूर स्वीकृति पुष्टि موافقة الموافقة وافق تاكيد`,
  question: `ask asking asks asked question* prompt prompts dialog* dialogue* confirmation* popup* permission* consult wait pause hesitat* stop
    interrupt check-in bother second
    pregunt* pedir demand* frag* ruckfrag* nachfrag* pergunt* chied* pyta* pytaj спраш* спрос* запраш* sor sorma* tanya bertanya hoi vraag
    询问 再问 尋ね 聞 問い合わせ 묻지 물어 ถาม पूछ تسال سؤال`,
  safety: `safety safe security securely sandbox* protection* protect* review reviews check checks guard* validation audit* scanner* scan scans
    filter filters moderation verification antivirus firewall gate gates risk risks dangerous harmless dangerously policy danger sensitive
    seguridad securite sicherheit* prufung* seguranca sicurezza bezpiecz* безопасн* проверк* защит* guvenlik* keamanan bao mat an toan veiligheid*
    安全 检查 审查 防护 安全性 セキュリティ チェック 保護 보안 안전 검사 ความปลอดภัย सुरक्षा जांच الامان الامنية`,
  disable: `disabl* off bypass* skip* turn turned switch* deactivat* remov* circumvent* evad* suspended disarm* weaken* loosen* lower unlock*
    inactive detached exempt* relax* dispens* unnecessary needless pointless redundant superfluous omit no-verify force
    desactiv* omit* ignor* desactiv* contourn* deaktivier* abgeschalt* ausgeschalt* umgeh* uberspring* desativ* pul* disattiv* disabilit* salt* wylacz* pomin* отключ* пропус* обойд* kapat* atla* devre nonaktif* lewati tat bo qua uitgeschakeld
    关闭 禁用 跳过 绕过 停用 無効 スキップ 回避 비활성 해제 건너뛰 우회 ปิด ข้าม บายพาส बंद अक्षम छोड़ تعطيل معطل تخطي`,
  memory: `memor* remember* persist* permanent* recall store stores stored save saves saved forever lasting durable future session sessions
    later again survive* survives standing learned retain*
    memoria guard* recuerd* enregistr* souvien* speicher* merke* gedachtnis* dauerhaft salve memorizza* salva* zapamiet* zapisz* pamiec* запомн* сохран* памят* hafiza* kaydet* bellek* ingat* simpan nho luu onthoud* geheugen
    记忆 记住 永久 保存 记入 メモリ 記憶 覚え 保存 メモリー 메모리 기억 저장 จำ บันทึก याद मेमोरी सहेज الذاكرة ذاكرتك احفظ تذكر`,
  write: `append* insert* add adds adding added write writes writing replicat* propagat* inherit* spread* paste record* register edit edits modif* chang* alter*
    install* plant* place create* set sets put include* import extend* seed enter enters merge embed prepend* pin hook
    agreg* anad* escrib* ajout* ecri* hinzufug* fug fuge schreib* trag trage adicion* escrev* aggiung* scriv* dodaj* dopisz* wpisz* добав* запиши* впиши* вставь* ekle* yaz* tambahkan tulis them ghi voeg schrijf
    写入 添加 加入 追加 書き込 書い 추가 작성 기록 써 เพิ่ม เขียน जोड़ लिख اضف اكتب`,
  settings: `settings config* configuration allowlist whitelist skill skills profile profiles preferences permissions mcp allow rules-file hooks
    configuracion einstellung* parametr* impostazion* ustawien* настройк* 设置 配置 設定 설정 การตั้งค่า सेटिंग الاعدادات`,
  lasting: `cron* crontab hook daemon* service startup start-up boot boots reboot* systemd launchd launchctl autostart bashrc zshrc profile
    authorized_keys background scheduled schedule timer rc logon login restart* respawn* resurrect* pre-commit post-commit post-checkout
    registry plist nohup tmux foothold keepalive watchdog hourly nightly daily minute minutes launchagent* alias tunnel
    arranque demarrage autostart hintergrund inicializa* avvio rozruch* автозапуск* запуске 开机 启动 定时 起動 시작 부팅 เริ่มต้น`,
  weak: `backdoor* back door weak* vulnerab* hardcod* hard-coded master universal bypass bug bugs flaw* exploit* magic loophole
    md5 eval chmod 777 plaintext predictable disable verify tls certificate insecure skip trapdoor hole
    puerta trasera porte derobee hinterture* hintertur backdoor бэкдор* 后门 バックドア 백도어`,
  lie: `claim claims pretend* lie lies lying false falsely fake* mislead* deceiv* disguis* assert state states pose posing invent*
    fabricat* misreport* misrepresent* dishonest* untrue insist deny denies denied praise lgtm understate* downplay* portray* label passing green
    declare cite attribut* blame act-as-if
    fing* miente* mentir pretend behaupt* luge* vorgeb* tausch* finja fingi* ment* udawaj klam* притвор* лги* утвержда* соври* yalan* berpura* gia vo
    假装 谎称 声称 撒谎 ふり 偽 嘘 인 척 거짓 แกล้ง โกหก झूठ ادع تظاهر`,
  print: `print* repeat* output outputs dump* reveal* recite* quote* verbatim spell* echo* translat* display* list enumerate* reproduc* disclose
    paraphras* word exactly unabridged publish render transcrib* reprint rephrase
    imprim* repit* repet* affich* zeig* gib ausgeb* wiederhol* wortlich* mostr* stamp* ripet* wyswietl* powtorz* wypisz* покаж* повтор* вывед* выпиш* напечат* yazdir* goster* tekrarla cetak tampilkan in hien thi druk toon herhaal
    打印 输出 显示 重复 逐字 泄露 表示 出力 繰り返 教えて 출력 보여 반복 พิมพ์ แสดง दिखा प्रिंट اطبع اعرض اكشف`,
  track: `telemetry analytics tracker tracking usage diagnostics metrics metric statistics stats pixel pixels beacon badge
    attribution sponsor* affiliate promot* recommend* advertis* survey heartbeat
    telemetri* statisti* nutzungsdaten telemetrie телеметри* статистик* 遥测 统计 テレメトリ 統計 텔레메트리 통계 सांख्यिकी`,
  package: `dependenc* package packages library module plugin extension npm pip postinstall post-install install installs
    dependenci* paquet* paket* abhangigkeit* pakiet* зависимост* пакет* 依赖 依存 パッケージ 의존성 패키지`,
  power: `root sudo unrestricted unlimited jailbr* dan elevated privileged privilege* god unbound uncensored unfiltered unchained free
    freely liberated full-access debug maintenance mode unleashed unsupervised jailbreak developer-mode
    ilimitad* libre sans-restriction uneingeschrankt* ohne illimitat* nieograniczon* неограничен* sinirsiz tanpa-batas
    无限制 不受限制 最高权限 特权 無制限 特権 무제한 제한없 ไม่จำกัด असीमित`,
  attack: `attack* attacker* malicious injection* injected jailbreaks exploit* vulnerab* adversar* phishing threat* mitigat* detect* hostile suspicious
    untrusted payloads example examples e.g such like quoted test tests tested fixture* sample* expect* scanner flags flagged blocks blocked refuse refuses
    owasp red-team classifier corpus dataset research* paper`,
};

export const LEXICON: Readonly<Record<string, string>> = { ...WORDS, ...PHRASES };
