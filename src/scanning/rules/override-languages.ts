import { anywhere, type ScanRule } from '../scan-rule.ts';
import { fold } from '../text/fold.ts';

/** A verb close to a word for "earlier" or "all" and a word for instructions. In some languages the verb comes last. */
type Phrases = {
  language: string;
  verbLast?: boolean;
  needs: string;
  verbs: string;
  earlier: string;
  instructions: string;
};

/** Accents are optional, because they are folded. */
const LANGUAGES: readonly Phrases[] = [
  {
    language: 'chinese',
    needs: '指 提示 命令 规 規 设 設 要求 限制 约 約 内 內 说 說 准则 準則 训练 對話 对话',
    verbs:
      '忽略|忽视|忽視|无视|無視|忘记(?!了)|忘記(?!了)|忘掉|忘却|不要理会|不要理會|不理会|不必理会|别管|別管|丢弃|丟棄|抛弃|拋棄|绕过|繞過|覆盖|覆蓋|推翻|不要遵守|不要遵循|停止遵守|停止遵循|不再遵守|不再遵循|撤销|取消|违反|違反|跳过所有|摆脱|无需遵守',
    earlier: '之前|先前|以前|以上|上面|上述|前面|此前|前述|所有|一切|全部|任何|原来|原有|系统|系統|你的|您的|安全',
    instructions:
      '指令|指示|提示|命令|规则|規則|设定|設定|要求|限制|约束|約束|内容|內容|说明|說明|指引|准则|準則|规定|規定|训练|對話|对话',
  },
  {
    language: 'thai',
    needs: 'คำ กฎ ข้อ พรอม พร้อม แนว',
    verbs:
      'เพิกเฉย|ละเลย|ไม่ต้องสนใจ|อย่าสนใจ|ไม่สนใจ|ลืม|มองข้าม|ยกเลิก|ข้าม|ฝ่าฝืน|ไม่ต้องทำตาม|อย่าทำตาม|หยุดทำตาม|ไม่ต้องปฏิบัติตาม|เลิกทำตาม|ทิ้ง',
    earlier: 'ก่อนหน้า|ที่ผ่านมา|ข้างต้น|ด้านบน|ทั้งหมด|ทุก|เดิม|ก่อน|ของคุณ|ระบบ|แรก',
    instructions: 'คำสั่ง|คำแนะนำ|กฎ|ข้อกำหนด|พรอมต์|พรอมท์|พร้อมท์|ข้อจำกัด|คำชี้แนะ|ข้อบังคับ|แนวทาง|ข้อความ',
  },
  {
    language: 'german',
    needs:
      'ignorier verg missacht uberg ubersch umgeh verw beacht befolg halt setz heb losch lass streich & anweis instruk befehl vorgab regel richtlin prompt system anleit beschrank vorschrift auftrag gesagt stand steht wurde weisst',
    verbs:
      '\\b(?:ignorier\\w*|vergiss|vergesst|vergessen sie|missachte\\w*|missachten sie|ubergehe?|uberschreibe?|umgehe|verwirf|verwerfen sie|beachte\\w* [^.]{0,60}nicht|befolge?\\w* [^.]{0,60}nicht|halte? dich nicht|setz\\w* dich uber|hebe? [^.]{0,40}auf|losche|lass [^.]{0,60}ausser acht|lassen sie [^.]{0,60}ausser acht|streiche)\\b',
    earlier:
      '\\b(?:vorherig\\w*|vorangegangen\\w*|vorangehend\\w*|bisherig\\w*|fruher\\w*|vorig\\w*|obig\\w*|ursprunglich\\w*|oben|alles?|allen|aller|samtliche\\w*|deine\\w*|ihre\\w*|jegliche\\w*|bestehende\\w*|zuvor|davor)\\b',
    instructions:
      '\\b(?:anweisung\\w*|instruktion\\w*|befehl\\w*|vorgabe\\w*|regeln?|richtlinie\\w*|system-?prompts?|systemanweisung\\w*|systemnachricht|prompts?|anleitung\\w*|beschrankung\\w*|einschrankung\\w*|vorschrift\\w*|auftrage?)\\b|\\b(?:was|alles)\\b[^.]{0,30}\\b(?:gesagt|stand|steht|wurde|weisst)\\b',
  },
  {
    language: 'spanish',
    needs:
      'ignor olvid descart desestim omiso omit anul pase sigas siga obede hagas cuenta deja sobrescri elimin desatiend pasa & instruccion indicacion orden directri directiva regla norma restriccion prompt mensaje comando mandato politica dij dicho',
    verbs:
      '\\b(?:ignor[ae]n?|ignorad|ignorar|olvid[ae]n?(?! (?:mencionar|decir|que))|olvidate|olvidese|olvidad|descart[ae]n?|desestim[ae]|haz caso omiso|haga caso omiso|hagan caso omiso|omit[ae]|anul[ae]|pas[ae] por alto|no (?:sigas|obedezcas|hagas caso|siga|obedezca|tengas en cuenta)|deja de (?:seguir|obedecer)|sobrescrib[ae]|elimin[ae]|desobedece|desatiend[ae])\\b',
    earlier:
      '\\b(?:anterior(?:es|mente)?|previ[ao]s?|precedentes?|tod[ao]s?|tus|sus|cualquier|antes|arriba|originales?|iniciales?|del sistema|hasta ahora|pasad[ao]s)\\b',
    instructions:
      '\\b(?:instruccion(?:es)?|indicacion(?:es)?|ordenes|orden|directrices|directivas?|reglas?|normas?|restricciones|prompts?|mensajes?|comandos?|mandatos?|politicas|lo que te (?:dijeron|han dicho))\\b',
  },
  {
    language: 'french',
    needs:
      'ignor oubli neglig compte abstraction suis suivez respect obeis ecout contourn outre annul cesse arrete efface desobe remplace & instruction consigne directive ordre regle commande prompt invite restriction contrainte message dit',
    verbs:
      '\\b(?:ignore[sz]?|ignorer|oublie[sz]?|oublier|neglige[sz]?|ne (?:tiens|tenez|tenir) (?:pas|plus|aucun) compte|fais abstraction|faites abstraction|ne (?:suis|suivez|respecte[sz]?) (?:pas|plus)|n (?:obeis|ecoute)[sz]? (?:pas|plus)|n.(?:obeis|obeissez|ecoute|ecoutez) (?:pas|plus)|contourne[sz]?|outrepasse[sz]?|annule[sz]?|passe outre|passez outre|cesse[sz]? de (?:suivre|respecter)|arrete[sz]? de (?:suivre|respecter)|efface[sz]?|desobeis|remplace[sz]?)\\b',
    earlier:
      '\\b(?:precedente?s?|anterieure?s?|toute?s?|tous|tes|vos|ci-dessus|avant|initiale?s?|d.origine|du systeme|jusqu.(?:ici|a present)|existante?s?)\\b',
    instructions:
      '\\b(?:instructions?|consignes?|directives?|ordres?|regles?|commandes?|prompts?|invites?|restrictions?|contraintes?|messages? systeme|ce qu.on t.a dit)\\b',
  },
  {
    language: 'portuguese',
    needs:
      'ignor esque desconsider desprez descart siga obede deixe pare anul sobrescreva & instruc ordens diretri diretiva regra comando prompt restric mensage orientac dito',
    verbs:
      '\\b(?:ignor[ae]m?|ignorar|esqueca|esqueca-se|esqueçam|desconsider[ae]m?|desprez[ae]|descart[ae]|nao (?:siga|sigas|obedeca)|deixe de (?:seguir|obedecer)|pare de (?:seguir|obedecer)|anul[ae]|sobrescreva|desobedeca)\\b',
    earlier:
      '\\b(?:anterior(?:es|mente)?|previ[ao]s?|precedentes?|tod[ao]s?|tudo|suas?|seus?|tuas|acima|antes|originais|iniciais|do sistema)\\b',
    instructions:
      '\\b(?:instrucoes|instrucao|ordens|diretrizes|diretivas|regras?|comandos?|prompts?|restricoes|mensagens|orientacoes|o que foi dito)\\b',
  },
  {
    language: 'italian',
    needs:
      'ignor diment trascur seguir obbedir rispettar tenere smetti annull scart aggir sovrascrivi & istruzion ordini direttiv regol comandi prompt restrizion indicazion guida messagg quello',
    verbs:
      '\\b(?:ignor[aio](?:te)?|ignorare|dimentica(?:te|re)?|dimentichi|trascura(?:te|re)?|non (?:seguire|obbedire|rispettare|tenere conto)|smetti di (?:seguire|obbedire)|annulla(?:re)?|scarta(?:re)?|aggira(?:re)?|sovrascrivi)\\b',
    earlier:
      '\\b(?:precedent[ei]|anterior[ei]|tutt[eoia]|tue|tuoi|sopra|prima|inizial[ei]|original[ei]|di sistema|qualsiasi)\\b',
    instructions:
      '\\b(?:istruzion[ei]|ordini|direttiv[ae]|regol[ae]|comandi|prompt|restrizioni|indicazioni|linee guida|messaggi|quello che ti)\\b',
  },
  {
    language: 'dutch',
    needs:
      'negeer vergeet sla volg overschrijf omzeil verwerp veronacht gehoorzaam & instructie aanwijzing opdracht regel richtlijn prompt bevel beperking bericht',
    verbs:
      '\\b(?:negeer|vergeet|sla [^.]{0,40}over|volg [^.]{0,40}niet|overschrijf|omzeil|verwerp|veronachtzaam|gehoorzaam [^.]{0,40}niet)\\b',
    earlier: '\\b(?:vorige|eerdere|voorgaande|bovenstaande|alle|alles|je|jouw|uw|oorspronkelijke|bestaande)\\b',
    instructions:
      '\\b(?:instructies?|aanwijzingen|opdrachten|regels|richtlijnen|prompts?|systeemprompt|bevelen|beperkingen|berichten)\\b',
  },
  {
    language: 'polish',
    needs:
      'ignoruj zapomnij pomin zlekcewaz przest wykonuj stosuj sluchaj odrzuc uniewaznij nadpisz & instrukcj polece regul zasad wytyczn prompt rozkaz ogranicze wskazow dyrektyw',
    verbs:
      '\\b(?:zignoruj\\w*|ignoruj\\w*|zapomnij\\w*|pomin|pominac|zlekcewaz|nie (?:przestrzegaj|wykonuj|stosuj|sluchaj)|przestan (?:przestrzegac|stosowac)|odrzuc|uniewaznij|nadpisz)\\b',
    earlier:
      '\\b(?:poprzedni\\w*|wczesniejsz\\w*|powyzsz\\w*|wszystki\\w*|wszelki\\w*|dotychczasow\\w*|swoj\\w*|twoj\\w*|systemow\\w*|o wszystkim)',
    instructions:
      '\\b(?:instrukcj\\w*|polece\\w*|regul\\w*|zasad\\w*|wytyczn\\w*|prompt\\w*|rozkaz\\w*|ogranicze\\w*|wskazow\\w*|dyrektyw\\w*)',
  },
  {
    language: 'japanese',
    verbLast: true,
    needs: '指 命令 プロ ルール 規則 制 設定 ガイド インス メッセ 内容',
    verbs:
      '無視し|無視する|無視せよ|無視しろ|忘れて|忘れろ|忘れなさい|従わない|従うな|従わず|破棄し|取り消し|上書きし|無効にし|考慮しない|従うのをやめ|むしして|わすれて',
    earlier:
      '以前|これまで|今まで|前の|上記|上の|すべて|全て|全部|あらゆる|先の|先ほど|過去|元の|従来|あなたの|システム|ここまで',
    instructions:
      '指示|命令|プロンプト|ルール|規則|制約|制限|設定|指令|ガイドライン|インストラクション|メッセージ|内容',
  },
  {
    language: 'korean',
    verbLast: true,
    needs: '지시 명령 프롬 규칙 지침 제한 설정 제약 안내 메시 내용',
    verbs:
      '무시하|무시해|무시하세요|무시하십시오|잊어|잊으세요|잊고|따르지 마|따르지 말|폐기하|취소하|우회하|덮어쓰|어기고|거부하고',
    earlier: '이전|앞의|앞선|위의|위에|모든|전체|기존|지금까지|지금껏|과거|원래|당신의|너의|시스템|먼저',
    instructions: '지시|명령|프롬프트|규칙|지침|제한|설정|제약|안내|메시지|내용',
  },
  {
    language: 'russian',
    needs: 'инструк указани приказ правил команд промпт ограничени сообщени директив подсказ установ требовани что',
    verbs:
      'игнорируй|проигнорируй|игнорировать|забудь|забыть все|пренебреги|не обращай внимания|не обращайте внимания|не следуй|не следуйте|не выполняй|отмени|отбрось|обойди|перестань следовать|перестань выполнять|не слушай|не подчиняйся|отклони|перезапиши|нарушь',
    earlier:
      'предыдущ|прежн|прошл|вышеуказан|вышеизложен|ранее|раньше|все|всех|свои|твои|ваши|исходн|изначальн|системн|любые|выше|до этого',
    instructions:
      'инструкц|указани|приказ|правил|команд|промпт|ограничени|сообщени|директив|подсказк|установк|требовани|что тебе говорил|что было сказано',
  },
  {
    language: 'ukrainian',
    needs: 'інструк вказівк наказ правил команд промпт обмежен повідомлен',
    verbs: 'ігноруй|проігноруй|забудь|не звертай уваги|не дотримуйся|не виконуй|скасуй|відкинь',
    earlier: 'попередн|минул|усі|всі|раніше|вище|свої|твої|системн',
    instructions: 'інструкц|вказівк|наказ|правил|команд|промпт|обмежен|повідомлен',
  },
  {
    language: 'turkish',
    verbLast: true,
    needs:
      'talimat komut kural yonerge prompt istem emir kisitlama direktif mesaj & say gormezden unut dikkate gozardi goz uyma gecersiz bosver onemseme',
    verbs: 'yok say|gormezden gel|unut|dikkate alma|gozardi et|goz ardi et|uyma|gecersiz kil|bosver|onemseme',
    earlier: 'onceki|yukaridaki|tum|butun|eski|daha once|ilk|senin|mevcut|sistem',
    instructions: 'talimat|komut|kural|yonerge|prompt|istem|emir|kisitlama|direktif|mesaj',
  },
  {
    language: 'vietnamese',
    needs: 'huong lenh quy chi prompt nhac gioi yeu & qua phot quen khong ngo đung dung ngung huy',
    verbs: 'bo qua|phot lo|quen|khong tuan theo|lam ngo|dung lam theo|ngung tuan theo|huy bo',
    earlier: 'truoc do|truoc day|o tren|ben tren|tat ca|moi|truoc|ban đau|cua ban|he thong',
    instructions: 'huong dan|chi thi|lenh|quy tac|chi dan|prompt|loi nhac|gioi han|yeu cau',
  },
  {
    language: 'indonesian',
    needs:
      'abaikan lupakan jangan hiraukan kesampingkan batalkan langgar & instruksi perintah aturan petunjuk arahan prompt pedoman batasan pesan',
    verbs: '\\b(?:abaikan|lupakan|jangan (?:ikuti|patuhi|hiraukan)|hiraukan|kesampingkan|batalkan|langgar)\\b',
    earlier: '\\b(?:sebelumnya|terdahulu|di atas|semua|seluruh|segala|awal|kamu|anda|sistem|tadi)\\b',
    instructions: '\\b(?:instruksi|perintah|aturan|petunjuk|arahan|prompt|pedoman|batasan|pesan)(?:mu|nya)?\\b',
  },
  {
    language: 'arabic',
    needs: 'تعليمات اوامر قواعد توجيهات ارشادات القيود موجه رسائل',
    verbs: 'تجاهل|تجاهلي|تجاهلوا|انس |انسى|لا تتبع|لا تلتزم|الغ |الغاء|تخلى عن|اهمل|تخط',
    earlier: 'السابقة|السابق|اعلاه|جميع|كل|كافة|قبل|الاصلية|النظام|الخاصة بك|المسبقة',
    instructions: 'تعليمات|التعليمات|اوامر|الاوامر|القواعد|قواعد|توجيهات|التوجيهات|الارشادات|القيود|موجه|رسائل',
  },
  {
    language: 'hindi',
    verbLast: true,
    needs: 'निर्देश आदेश नियम प्रॉम्प्ट हिदायत दिशा',
    verbs: 'अनदेखा|अनदेखी|नज़रअंदाज़|नजरअंदाज|भूल जा|उपेक्षा कर|पालन न कर|पालन मत|रद्द कर',
    earlier: 'पिछले|पिछली|पहले|ऊपर|सभी|सारे|पूर्व|सिस्टम|अपने',
    instructions: 'निर्देश|आदेश|नियम|प्रॉम्प्ट|हिदायत|दिशानिर्देश|दिशा',
  },
  {
    language: 'persian',
    needs: 'دستور فرمان قوانين راهنما',
    verbs: 'ناديده بگير|نادیده بگیر|فراموش کن|رعایت نکن|نقض کن',
    earlier: 'قبلی|پیشین|بالا|همه|تمام|سیستم',
    instructions: 'دستور|فرمان|قوانین|راهنما',
  },
  {
    language: 'hebrew',
    needs: 'הורא הנחי כלל פקוד',
    verbs: 'התעלם|התעלמי|דלג|שכח|אל תציית|הפר',
    earlier: 'קודמ|הקודם|לעיל|כל |המערכת',
    instructions: 'הורא|הנחי|כללים|פקוד',
  },
  {
    language: 'greek',
    needs: 'οδηγι εντολ κανον',
    verbs: 'αγνοησε|αγνοηστε|ξεχασε|ξεχαστε|παρακαμψε|μην ακολουθεις',
    earlier: 'προηγουμεν|ολες|ολους|παραπανω|αρχικ',
    instructions: 'οδηγι|εντολ|κανον',
  },
  {
    language: 'swedish',
    needs: 'instruktion instruks regler anvisning ordre order',
    verbs: '\\b(?:ignorera|ignorer|glom|glem|bortse fran|strunta i|se bort fra|folg inte|folj inte)\\b',
    earlier: '\\b(?:tidigare|foregaende|forrige|alla|alle|ovanstaende|ovenstaende|dina|dine)\\b',
    instructions: '\\b(?:instruktion\\w*|instruks\\w*|regler|anvisning\\w*|order|ordre\\w*)\\b',
  },
  {
    language: 'czech',
    needs: 'pokyn instrukc prikaz pravid',
    verbs: '\\b(?:ignoruj\\w*|zapomen\\w*|zabudni\\w*|prehliz\\w*|nedodrzuj|poru[sz]\\w*)\\b',
    earlier: '\\b(?:predchozi\\w*|predchadzaj\\w*|vsechny|vsetky|drivejsi|sve|systemov\\w*)\\b',
    instructions: '\\b(?:pokyn\\w*|instrukc\\w*|prikaz\\w*|pravid\\w*)\\b',
  },
  {
    language: 'romanian',
    needs: 'instruc regul comenzi ordine',
    verbs: '\\b(?:ignora|ignorati|uita|nu respecta|nu urma)\\b',
    earlier: '\\b(?:anterioare|precedente|toate|initiale|tale)\\b',
    instructions: '\\b(?:instruct\\w*|regul\\w*|comenzi\\w*|ordine\\w*)\\b',
  },
  {
    language: 'hungarian',
    verbLast: true,
    needs: 'utasitas szabaly parancs & hagyd felejts hagyja',
    verbs: 'hagyd figyelmen kivul|felejtsd el|hagyja figyelmen kivul',
    earlier: 'korabbi|elozo|osszes|minden',
    instructions: 'utasitas|szabaly|parancs',
  },
];

/** Negations before the verb: `Don't forget all the instructions above.` */
const NOT_BEFORE = `\\b(?:no|nao|non|nie|niet|не|jangan|khong|đung|dung|n[' ]|ne) ?|不要|不可|不能|请勿|請勿|切勿|别|別|อย่า|ห้าม|ت`;

export const LANGUAGE_RULES: readonly ScanRule[] = LANGUAGES.map(
  ({ language, verbLast, needs, verbs, earlier, instructions }) => ({
    name: `ignore-instructions-${language}`,
    category: 'override',
    scope: 'any',
    view: 'text',
    reason: 'tells the model to ignore its instructions',
    requiredParts: fold(needs),
    pattern: anywhere(`(?<!${NOT_BEFORE})(?:${verbs})(?! ?(?:nicht|pas|niet|न |मत|지 마|ない|ma\\b))`),
    requires: [anywhere(earlier), anywhere(instructions)],
    requiresWithin: verbLast ? { before: 60, after: 60 } : { before: 0, after: 80 },
  }),
);
