/**
 * Narrower meanings than those in `lexicon.ts`, with phrases: `_` is a space. A phrase matches whatever the endings of
 * its words are.
 */
export const PHRASES: Readonly<Record<string, string>> = {
  unneeded: `need_not needn't no_need not_necessary unnecessary not_required isn't_required don't_need doesn't_need
    don't_have_to doesn't_have_to not_have_to not_needed without_need dispensable superfluous needless optional
    no_longer_necessary nicht_notig unnotig braucht_nicht brauchst_nicht keine_notwendigkeit entbehrlich
    entfall* pas_besoin inutile* no_hace_falta innecesari* no_es_necesario nao_e_preciso nao_precisa
    desnecessari* non_serve non_occorre nie_trzeba zbedn* niepotrzebn* не_нужно не_надо необязательно незачем
    gerek_yok tidak_perlu khong_can 无需 不必 不用 不需要 必要はない 不要 필요_없 필요가_없 لا_داعي لا_حاجة जरूरत_नहीं ไม่ต้อง
    ไม่จำเป็น`,
  regardless: `regardless no_matter whatever_the whatever_it whatever_they irrespective even_if even_though even_when
    even_where whether_or_not in_any_case despite in_spite notwithstanding although though
    under_any_circumstances come_what_may at_all_costs no_exceptions without_exception unconditionally egal
    auch_wenn selbst_wenn unabhangig ungeachtet trotz obwohl peu_importe meme_si quel_que quoi_que malgre aunque
    sin_importar pase_lo_que independientemente mesmo_que independentemente apesar anche_se indipendentemente
    a_prescindere niezaleznie nawet_jesli bez_wzgledu даже_если независимо несмотря olsa_bile ne_olursa walaupun
    meskipun terlepas ke_ca bat_ke 即使 无论 不管 哪怕 たとえ に関係なく 관계없이 상관없이 حتى_لو بغض_النظر भले_ही चाहे`,
  deem: `count* counts_as count_as considered consider_it consider_them consider_this considers regard* deem*
    treat_as treat_it_as treat_them_as treated_as taken_as taken_for understood_as assume* presum* stands_for
    equals equivalent equated qualifies handled_as read_as interpreted_as as_good_as gilt gelten gelte behandle*
    betracht* vaut considere* tient_lieu cuenta_como considera* trata_como vale_como conta_come vale_come uznaj*
    traktuj* считай* считает* 视为 当作 とみなす 간주`,
  beforehand: `already in_advance beforehand previously pre-approved preapproved pre-authorised pre-authorized
    prior_approval ahead_of_time once_and_for_all long_ago earlier_today last_week upfront up_front bereits
    vorab im_voraus schon deja a_l'avance par_avance ya de_antemano por_adelantado ja antecipadamente de_antemao
    gia in_anticipo juz z_gory уже заранее onceden zaten sudah terlebih da_roi tu_truoc 已经 事先 提前 すでに 既に 事前 이미 미리
    사전 مسبقا بالفعل पहले_ही पहले_से แล้ว ล่วงหน้า`,
  asif: `as_if as_though pretend* act_like acting_like passes_for pass_for looks_like look_like appear* seem* posing
    pose feign* simulate* imitat* impersonat* in_the_name_of in_the_voice_of on_behalf_of speaking_as acting_as
    behave_as als_ob als_ware comme_si como_si come_se jakby jak_gdyby как_будто словно seolah gibi 好像 假装 かのように
    ふりを 것처럼 척 كأن`,
  omit: `leave_out leaves_out left_out leaving_out omit* exclud* skip_over keep_out kept_out stay_out stays_out
    not_mention not_include not_list not_show not_appear never_mention without_mention don't_mention gloss_over
    strip strips drop_from spare spares unmentioned unlisted collapse* fold weglass* auslass* nicht_erwahn*
    omet* omettre passe_sous omite* omitir no_mencion* nao_mencion* tralascia* ometti non_menzion* pomin*
    nie_wspomin* не_упомина* опусти* sebutkan jangan_sebut 略去 不提 不要提 省略 含めない 書かない 생략 언급하지 लिखो_मत`,
  unaware: `unaware unnoticed unknown_to without_knowledge without_telling without_asking without_informing
    without_notice without_notifying without_consent without_permission behind_back in_the_dark not_know
    needn't_know need_not_know never_know doesn't_know don't_know find_out finds_out notice notices noticing
    noticed suspicious suspect suspects worry worries curious wonder wonders object objects unbemerkt
    ohne_wissen ohne_ruckfrage a_l'insu sans_que sin_que sin_avisar sin_preguntar sem_que sem_avisar senza_che
    bez_wiedzy незаметно без_ведома habersiz tanpa_sepengetahuan 不知情 不知道 気づかれ 눈치`,
  quietadv: `silently quietly discreetly secretly covertly tacitly stealthily unobtrusively invisibly privately
    confidentially under_the_radar below_the_radar off_the_record off_the_books hush hush-hush on_the_quiet
    sneak* slip slips slipped tuck tucked smuggl* stash* heimlich leise still diskret discretement secretement
    silencieusement discretamente secretamente en_secreto en_silencio em_silencio in_silenzio di_nascosto
    po_cichu potajemnie тихо тайно втихую скрытно gizlice sessizce diam-diam am_tham len_lut 悄悄 偷偷 暗中 こっそり 密かに
    黙って 몰래 조용히 سرا بهدوء चुपचाप เงียบ`,
  ifasked: `if_asked when_asked if_questioned asked_about asks_about ask_about should_anyone should_someone
    should_anybody should_somebody should_the_user if_anyone if_someone if_anybody if_somebody if_they_ask
    if_the_user_asks when_someone when_anyone questioned wenn_jemand falls_jemand auf_nachfrage si_on_te
    si_quelqu'un si_alguien si_preguntan se_alguem se_perguntarem se_qualcuno se_chiedono jesli_ktos если_спрос*
    если_кто sorarlarsa jika_ditanya neu_ai 如果有人问 被问 聞かれ 물으면 물어보면`,
  reply: `answer answers reply replies respond responds say_that say_it says_that tell_them assure* claim*
    explain_that state_that confirm_that insist* antworte* sag_dass behaupte* reponds repond dis_que responde*
    di_que diga_que rispondi di_che odpowiedz отвечай* скажи cevap jawab tra_loi 回答 答复 答え 대답`,
  instead: `instead in_place_of rather_than in_lieu in_favour in_favor replaced_by swap* substitut* take_the_place
    not_from not_the_user statt anstatt anstelle stattdessen au_lieu plutot en_lugar en_vez em_vez ao_inves
    invece al_posto zamiast вместо yerine alih-alih thay_vi 而不是 代替 改为 代わりに 대신 بدلا बजाय`,
  outrank: `outrank* preceden* overrid* overrul* supersed* trump* prevail* wins win above_all above_the priority
    prioritise* prioritize* higher highest top stands_above carries_the_day authoritative binding final sole
    only_guide only_source only_rules vorrang vorgeht hochste prime* l'emporte prevalen* tiene_prioridad
    por_encima mas_importante acima precedenza ha_la_meglio pierwszenstwo nadrzedn* приоритет* важнее выше
    oncelik* ustun mengutamakan uu_tien 优先 高于 为准 優先 우선 الاولوية प्राथमिकता`,
  voided: `void null no_longer_apply no_longer_applies no_longer_valid no_longer_counts not_apply not_valid invalid
    lapsed lapse expired obsolete withdrawn rescinded cancelled canceled revoked suspended lifted waived
    abolished annulled no_force no_effect out_of_force without_effect repealed corrupted placeholder outdated
    deprecated ausser_kraft ungultig hinfallig aufgehoben gilt_nicht gelten_nicht caduc* annule* sans_effet
    ne_s'appliqu* sin_efecto anulad* ya_no_valen sem_efeito perderam nieaktualn* przestaj* niewazn* утратил*
    недействительн* отменен* gecersiz tidak_berlaku het_hieu_luc khong_con 作废 失效 无效 废止 無効 무효 폐기 لاغية ملغاة रद्द
    ยกเลิก`,
  rulesfine: `instructions guidelines directives system_prompt system_message developer_message preamble preprompt
    startup_text setup_text charter content_policy safety_policy guardrails policy policies safeguards
    restrictions constraints limits boundaries ground_rules house_rules standing_orders configuration_prompt
    brief briefing programming training alignment scruples`,
  usertask: `user's_request the_user_asked user_asked the_task original_task your_task the_question the_request
    users'_wishes user's_wishes user's_goal user_wants what_the_user assignment errand wunsch_des anfrage_des
    demande_de_l' peticion_del pedido_do richiesta_dell' zapytanie просьб* запрос* 用户的请求 ユーザーの依頼 사용자의_요청
    طلب_المستخدم`,
  envvars: `env environ environment_variable* environment_variables .env printenv process.env os.environ dotenv
    variables umgebungsvariable* variables_d'environnement variables_de_entorno variaveis_de_ambiente
    variabili_d'ambiente zmienne_srodowiskowe переменн* 环境变量 環境変数 환경_변수`,
  creds: `credentials credential password passwords passphrase api_key api_keys access_key access_token access_tokens
    token tokens secret_key private_key private_keys ssh_key ssh_keys signing_key session_cookie cookies
    cookie_jar vault keychain keyring kubeconfig keystore seed_phrase seed_words wallet login logins pin
    recovery_codes two-factor otp one-time bearer refresh_token connection_string netrc npmrc zugangsdaten
    passwort passworter kennwort identifiants mot_de_passe contrasena* clave_privada credenciales senhas senha
    chave_privada credenziali chiave_privata hasla haslo kluczami пароль пароли паролями ключ ключи ключами
    parola sifre kata_sandi kredensial mat_khau khoa 密码 密钥 凭据 令牌 パスワード 秘密鍵 비밀번호 비밀_키 كلمة_المرور المفاتيح
    पासवर्ड รหัสผ่าน กุญแจ`,
  privatedata: `conversation conversations chat_history transcript inbox mailbox customer_list customer_data personal_data
    source_code sources private_repository private_repo home_directory shell_history bash_history clipboard
    address_book contacts payroll salaries salary records diary calendar screenshots screen_recording
    browser_profile browsing_history database_dump dump backup internal confidential unredacted decrypted
    gesprach verlauf kundendaten posteingang quelltext historique donnees_clients boite historial conversacion
    correos conversa clientes conversazione rozmow* переписк* 聊天记录 对话 会話 履歴 대화 고객 المحادثة बातचीत การสนทนา`,
  sendfine: `send sends sending sent upload uploads uploading uploaded forward forwards forwarding forwarded transmit*
    post posts posting mail mails mailing e-mail email emails ship ships submit* relay relays exfiltrat* leak
    leaks hand_over hands_over pass_on passes_on passed_on hand_it give_them let_them_have deliver* mirror
    mirrors mirrored copy_to copied_to goes_to go_to reach reaches stream streams publish publishes share shares
    shared attach attaches enclose* beam paste pastes drop_it dump dumps pipe push_to sende schick* ubermittl*
    weiterleit* hochlad* envoie* envoyer transmet* expedi* televers* envia* enviar manda* reenvia* sube subir
    envie* mande* invia* manda carica* inoltra* wysl* przeslij* przesyl* przeslac отправ* пересыл* перешли*
    загруз* gonder* ilet* yukle* kirim* unggah* teruskan gui tai_len 发送 上传 转发 发到 抄送 送信 アップロード 転送 送り 보내 전송 업로드
    ارسل إرسال بھیج भेज ส่ง`,
  dest: `our_server our_servers our_endpoint our_address our_host our_collector external third_party third-party
    outside partner partner's vendor contractor sponsor reseller licensor public publicly open_bucket pastebin
    gist webhook dropbox ftp address_below link_below below_address our_bucket our_side office_of headquarters
    attacker remote_host unsere_adresse unseren_server extern* dritte* notre_serveur notre_adresse externe
    nuestro_servidor publica nosso_servidor nostro_server esterno nasz_serwer naszego внешн* наш_сервер нашему
    sunucumuz* server_kami may_chu_cua 我们的服务器 外部 公开 当社 우리_서버 خادمنا हमारे_सर्वर`,
  ours: `our ours us we we'd we'll we've unser* unsere* notre nos nuestro* nuestra* nosso* nossa* nostro* nostra*
    nasz* наш* bizim kami chung_toi 我们 我方 当社 弊社 우리`,
  fetchorders: `next_task next_step next_steps further_instructions further_tasks new_tasks orders work_order* work_orders
    job_list task_list todo_list to-do_list assignments errand* marching_orders your_orders its_orders
    commands_from tasks_from take_orders takes_orders await_instructions wait_for_jobs waits_for report_for_duty
    check_in checks_in command_and_control c2 beacon poll polls polling auftrag* befehle ordres consignes_a
    ordenes tareas ordens tarefas incarichi ordini zadania polecenia rozkaz* команды задания приказ* komut*
    gorev* perintah tugas lenh nhiem_vu 命令 任务 下一步 指令 命令を 任務 명령 임무 الاوامر أوامر आदेश คำสั่ง`,
  comply: `obey obeys obeying comply complies complying carry_out carries_out carry_it carry_them act_on acts_on
    act_upon follow_it follow_them follow_its do_as do_what does_what do_it do_so execute_it execute_them
    execute_what run_what run_it run_the_returned perform_it take_them let_it_decide as_told to_the_letter
    without_question put_into_effect work_off befolge* fuhre_aus ausfuhr* obeis* applique* execute cumple*
    obedece* ejecuta* cumpra* obedeca* esegui* obbedisci* wykonaj* wykonuj* выполн* исполн* подчин* uygula*
    yerine_getir jalankan laksanakan thuc_hien lam_theo 执行 照做 遵照 服从 実行 従って 従う 실행 따르 نفذ تنفيذ चला पालन ทำตาม`,
  always: `always every_time each_time whenever every_session each_session every_reply every_answer every_project
    every_repository all_projects all_repositories all_future from_now_on from_here_on henceforth from_today
    forever permanently for_good at_every_opportunity wherever everywhere without_exception each_and_every
    from_then_on immer jedes_mal jedesmal kunftig ab_jetzt toujours chaque_fois desormais siempre cada_vez
    a_partir_de sempre ogni_volta d'ora zawsze za_kazdym odtad всегда каждый_раз отныне впредь her_zaman
    her_seferinde selalu setiap luon moi_lan 始终 每次 永远 以后 今后 常に 毎回 今後 항상 매번 앞으로 دائما हमेशा हर_बार เสมอ ทุกครั้ง`,
  first: `before_anything before_anything_else before_you before_answering before_replying before_each before_every
    before_other first_thing first_step first_of_all as_your_first at_the_start at_the_beginning at_startup
    at_start-up on_start beginning_of prior_to as_soon_as once_you upon ahead_of zuerst als_erstes zu_beginn
    bevor d'abord avant_tout au_debut primero antes_de al_inicio primeiro prima_di all'inizio najpierw przed
    сначала перед прежде 首先 开始时 まず 最初に 먼저 시작할_때`,
  approvefine: `approved approval approvals pre-approved authorised authorized authorisation authorization consent consented
    cleared clearance signed_off sign_off sign-off green_light go-ahead blessing okayed permission granted
    waived waiver waives agreed agreement_of exempt exemption exempted blanket standing_permission whitelisted
    allow-listed allowlisted vetted certified nod freigegeben genehmigt zugestimmt erlaubt abgesprochen approuve
    valide accord autorise aprobado autorizado visto_bueno aprovado liberado approvato autorizzato acconsentito
    zatwierdz* zgodzil* zgoda uzgodnion* одобрен* разрешен* согласован* согласен onaylan* onay izin disetujui
    menyetujui dong_y phe_duyet 批准 同意 授权 许可 承認 許可 승인 허락 허가 موافق وافق मंजूर अनुमति อนุมัติ อนุญาต`,
  dontask: `don't_ask not_ask never_ask without_asking without_confirmation without_confirming without_approval
    without_review without_a_prompt without_prompting no_confirmation no_questions no_prompt
    skip_the_confirmation skip_the_dialog skip_the_review stop_asking ask_nobody not_wait don't_wait not_pause
    don't_pause proceed go_ahead straight_away right_away immediately at_once on_the_spot --force --yes
    --no-verify autoapprove auto-approve auto-accept autoaccept ohne_nachfrage ohne_zu_fragen ohne_ruckfragen
    frag_nicht sans_demander sans_confirmation sans_attendre sin_preguntar sin_confirmar sin_consultar
    sem_perguntar sem_confirmar senza_chiedere senza_conferma senza_domandare bez_pytania bez_potwierdzenia
    без_вопросов без_подтверждения не_спрашива* sormadan tanpa_bertanya tanpa_konfirmasi ma_khong_can_hoi 直接执行
    不要询问 无需确认 確認せず 確認なし 묻지_말고 확인_없이 دون_سؤال बिना_पूछे โดยไม่ต้องถาม`,
  guards: `safety safeguards guardrails safety_checks security_checks confirmation confirmations confirmation_dialog
    permission_prompt permission_prompts approval_prompt prompts dialog dialogs sandbox filter filters
    content_filter firewall branch_protection deny_list review reviews code_review scanner antivirus audit
    audit_log two-person rate_limits spending_limits verification validation signature_check certificate_check
    sicherheitsprufung prufung kontrollen garde-fous controles verificaciones comprobaciones verificacoes
    verifiche kontrole zabezpieczen* проверк* защит* kontroller* pemeriksaan kiem_tra 安全检查 审查 セキュリティ 안전_검사
    فحوصات जाँच`,
  turnoff: `disabled disable disables switched_off switch_off turned_off turn_off taken_down out_of_service bypass
    bypassed circumvent* permissive deactivat* off_for removed_for lifted suspended skip skipped not_enforced
    no_effect misfire* abgeschaltet ausgeschaltet deaktiviert ausgesetzt desactive* coupe* desactivad* apagad*
    desativad* disattivat* wylaczon* отключен* выключен* kapali devre_disi dimatikan da_tat 关闭 禁用 停用 オフ 解除 꺼져
    متوقفة معطلة बंद ปิด`,
  memoryfine: `memory memories long-term remember remembered memorise memorize notes_to_self persistent persisted
    knowledge_base vector_store vector_index agents.md claude.md soul.md memory.md cursorrules rules_file
    rule_file agent_file agent_files instruction_file persona_file skill_file settings.json mcp.json
    user_profile future_sessions next_session next_agent next_assistant sub-agents subagents gedachtnis
    merkdatei memoire memoria pamieci памят* bellek* memori bo_nho 记忆 メモリ 메모리 الذاكرة स्मृति ความจำ`,
  storefine: `save saves store stores append appends add_to write_into write_to insert record records persist note_down
    write_down put_into put_in pin carry_over copy_into copied_into overwrite edit edits amend extend extended
    register enrol merge_into speicher* trag_ein trage_ein erganze inscris ajoute* enregistre* guarda* escribe*
    anade* grave salve adicione annota* salva* scrivi* aggiungi* zapisz* dopisz* wpisz* dodaj* сохрани* впиши*
    добав* запиши* kaydet* ekle* simpan* tambahkan luu ghi 写入 写进 保存 加入 记住 保存し 追加 저장 추가 احفظ أضف सहेज जोड़ บันทึก`,
  telemetryfine: `telemetry tracking tracker pixel beacon analytics metrics usage_data usage_report usage_figures statistics
    heartbeat ping pings phone_home phones_home call_home calls_home badge referral affiliate sponsor banner
    counter tag_manager widget snippet recommend recommends promote advertise messbibliothek nutzungsdaten
    traceur statistiques metricas rastreador estatisticas tracciamento sledzac* статистик* izleme pelacak
    theo_doi 统计 遥测 計測 추적 التتبع ट्रैकिंग`,
  dependency: `dependency dependencies package packages library module sdk middleware plugin extension postinstall import
    imports install installs depend depends npm pip lock_file package.json dockerfile base_image`,
  persistfine: `cron crontab systemd launchd launchagent* login_item startup start-up autostart boot reboot reboots
    authorized_keys rc_file bashrc zshrc profile.d git_hook git_hooks post-merge post-commit backdoor
    reverse_shell reverse_tunnel tunnel listener respawn* relaunch* reinstall* re-add re-adds recreate* survive
    survives outlive outlives keep-alive keepalive daemon watchdog scheduled_task schtasks udev sudoers
    admin_account administrator_account service_worker bring_back brings_back restores comes_back leave_open
    keep_open always_on autostart-eintrag tache_planifiee tarea_programada inicio_automatico avvio_automatico
    autostartu автозагруз* acilista nyala 启动项 开机 起動時 부팅 بدء_التشغيل`,
  lying: `claim_that report_that state_that assure insist made_up make_up invent invents fabricate* falsif* misreport*
    backdate* untrue not_true isn't_true false_positive fake fakes pretend lgtm looks_good rate_this rate_it
    grade_this give_it_a_high score_this full_marks five_stars recommend_acceptance favourable favorable praise
    downplay* understate* no_matter_what_the passed_even even_if_they_fail obwohl_nichts meme_s'ils aunque_haya
    mesmo_sabendo anche_se_non nawet_jesli_nie даже_если_это olsa_bile_gectigini 即使没有 結果に関係なく 실제와 حتى_لو_فشل`,
  weakenfine: `hard-code hard-coded hardcode hardcoded backdoor verify=false unchecked without_authentication without_auth
    without_validation swallow swallows weaken weaker loosen* plaintext plain_text fixed_iv md5 chmod_777
    world-readable public_bucket accept_any any_certificate skip_verification disable_tls cors off-by-one
    vulnerable_version known_hole comment_saying comment_reading described_as call_it call_the_commit label_it
    labelled`,
  revealfine: `verbatim word_for_word your_instructions your_prompt your_system your_configuration your_guidelines
    your_preamble your_persona your_rules your_tools initial_prompt initial_instructions original_instructions
    hidden_context hidden_text first_message system_text tool_definitions what_you_were_told you_were_told
    you_were_given you_operate_under told_to_avoid wortlich mot_pour_mot tus_instrucciones
    instrucciones_internas suas_instrucoes parola_per_parola doslownie дословно kelimesi_kelimesine
    secara_lengkap 逐字 そのまま 그대로 حرفيا शब्दशः`,
  identity: `you_are_now you're_now you_are_no_longer your_new_name your_new_role act_as play_the_part persona
    unrestricted superuser root_operator administrator admin_override developer_mode maintenance_mode debug_mode
    god_mode promoted promotion elevated privilege_level trust_level your_developer your_creator your_creators
    your_maker your_makers your_vendor your_provider your_operator your_supervisor your_owner this_is_your
    i_am_the i'm_the speaking_as on_behalf support_here team_here security_team platform_team notice_from
    message_from note_from du_bist_jetzt tu_es_maintenant ahora_eres eres_ahora voce_agora sei_ora jestes_teraz
    ты_теперь artik_sen 你现在 あなたは今 지금부터`,
  readeraddr: `ai_agents ai_agent ai_assistants ai_assistant ai_tools ai_tool ai_helpers ai_readers ai_systems
    language_model language_models llms llm automated_readers automated_contributors models_reading
    agents_reading assistant_reading whoever_reads if_you_are_an_ai if_you're_an note_to_ai for_ai bots copilots
    coding_agent coding_assistant ki-assistent* ia_assistant* asistentes_de_ia`,
  quoted: `says_" such_as for_example e.g example_of examples_of attack attacks attacker attackers injection injections
    malicious phishing scanner flags flagged detects payload red_team threat incident postmortem untrusted
    treat_as_data report_it refuse refuses decline declines reject rejects don't_follow not_follow never_follow`,
  harmlessdev: `lint linter formatter typecheck unit_test unit_tests test_suite pull_request pull_requests changelog readme
    migration migrations snapshot fixtures storybook eslint prettier pytest vitest jest docker staging rollback
    release_notes semver typescript refactor refactoring rebase`,
  asksuser: `ask_the_user asks_the_user ask_before asks_before asks_for_confirmation ask_for_confirmation asked_first
    user_confirms user_has_confirmed user_agrees wait_for_the_user tell_the_user tells_the_user inform_the_user
    informs_the_user show_the_diff shows_the_diff explain_why opt_out opt_in opted off_by_default bestatigung
    fragt_nach demande_confirmation pide_confirmacion pede_confirmacao chiede_conferma zapytaj_uzytkownika
    спроси_пользователя 询问用户 ユーザーに確認 사용자에게_물어 اسأل_المستخدم उपयोगकर्ता_से_पूछ`,
  thistext: `this_file this_page this_document this_note this_comment this_paragraph this_text this_readme this_ticket
    this_block this_line this_section this_message this_repo this_repository this_folder this_sentence
    this_instruction this_rule this_list this_table this_cell this_notebook this_skill this_channel this_thread
    this_workspace this_project text_below list_below block_below lines_below steps_below section_below
    following_list following_text read_this reading_this what_follows stands_here written_here said_here
    diese_datei dieser_datei dieses_dokument dieser_text diese_seite dieser_seite ce_fichier ce_document
    cette_page ce_texte este_archivo este_documento esta_pagina esta_lista este_texto esta_tabla este_ficheiro
    questo_file questa_pagina questo_documento ten_plik tego_pliku ta_strona tej_stronie этот_файл этого_файла
    этот_документ этим_документом bu_dosya bu_sayfa bu_sayfadaki bu_listeyi file_ini dokumen_ini daftar_ini
    tep_nay dit_bestand 本文件 本文 下面 以下 このファイル この文書 下記 이_문서 이_파일 아래 هذا_الملف هذه_القائمة इस_फाइल यह_सूची ไฟล์นี้
    ด้านล่าง`,
  textunit: `page pages document documents paragraph comment comments line lines section sentence table row cell column
    footnote header footer field fields form forms label title body block sheet worksheet spreadsheet notebook
    wiki entry item margin appendix headline article manuscript essay text texts attachment image picture badge
    alt_text tag datei seite dokument fichier archivo pagina tabla arquivo documento plik strona файл страниц*
    таблиц* dosya sayfa berkas tep 文件 页面 表格 ファイル ページ 파일 문서`,
  judge: `score scores grade grades rate rated rating verdict assess assesses classify classified mark marks rank
    ranks evaluate evaluation evaluating acceptable benign clean positive negative favourable candidate
    applicant submission reviewer's recommend acceptance outstanding excellent bewerte* note_cette valora*
    avalie* valuta* ocen* оцен* 评分 評価 평가`,
  money: `payment payments pay pays paid payout invoice invoices transfer transfers refund refunds iban bank banking
    balance card cards wire purchase purchases buy buys price prices fee fees budget amount deposit
    order_without spend spending contract contracts billing bill zahlung* uberweis* rechnung* virement facture*
    pago* factura* pagamento* fattur* platn* przelew* faktur* платеж* оплат* счет* odeme* fatura* pembayaran
    thanh_toan 付款 转账 支払 振込 결제 송금`,
  arrange: `see_to_it see_to make_sure makes_sure ensure ensures arrange arranges let_it let_the let_us let_them
    have_the have_it have_them get_the_agent sorge dafur assure-toi asegurate certifique-se assicurati upewnij
    убедись pastikan 确保 必ず 반드시`,
  condition: `if when once unless until should while in_case in_the_event provided_that as_long_as whenever wherever where
    wenn falls sobald solange si lorsque quand des_que cuando siempre_que se quando assim_que appena jesli gdy
    если когда как_только eger jika ketika neu khi 如果 当 もし 場合 만약 إذا عندما यदि अगर जब`,
  consentword: `yes yep ok okay allow accept accepts click clicks clicked tick ticks ticked press presses always_allow
    allow_all agree confirm_it type_yes answer_yes pick_option ja oui si_a sim да evet ya 是 はい 예 نعم हाँ`,
  making: `generate generates generated create creates created produce produces build_from build_for scaffold
    scaffolded website websites app apps template templates code_you projects_you files_you script_you
    you_create you_write you_generate you_build you_touch you_visit you_produce das_du_anlegst que_tu_ecris
    que_generes que_gerar che_crei ktory_tworzysz который_создаешь 生成的 作成する 만드는 تنشئه`,
  elsewhere: `other_projects other_repositories other_repos all_repos every_repo all_projects each_repository
    any_repository any_project every_project whatever_project third_parties all_workspaces every_workspace
    every_folder on_this_disk on_this_machine on_this_computer all_accounts every_account alle_projekte
    allen_projekten tous_les_projets todos_los_proyectos todos_os_projetos tutti_i_progetti wszystkich_projekt*
    всех_проектах 所有项目 すべてのプロジェクト 모든_프로젝트`,
  authorityperson: `ceo cto boss manager management director lawyer legal guardian lead founder board committee compliance
    insurer auditor officer administrator admins it_department security_desk safety_team trust_team
    support_staff vendor's owner's chef chefe jefe capo szef начальник* patron 老板 负责人 上司 担当者 담당자 المدير المالك
    मालिक`,
  purpose: `for_compliance for_quality for_support for_debugging for_backup for_licensing for_traceability
    for_verification for_safety for_convenience for_speed for_performance for_the_record so_that so_we so_it
    so_nobody so_no because since due_to as_required as_agreed as_usual in_line_with in_the_interest
    for_the_sake in_order_to to_verify to_prove to_avoid to_keep to_save to_spare to_improve damit weil da_der
    afin_de pour_que parce_que para_que porque para_poder affinche perche aby zeby poniewaz чтобы потому icin
    agar supaya de_co 以便 因为 ため 위해 حتى ताकि เพื่อ`,
  guise: `maintenance cleanup formatting typo typos routine cosmetic optimisation optimization harmless refactoring
    minor_fixes misc housekeeping standard_practice standard_procedure health_check diagnostics
    accessibility_feature cache_warmer scheduled_maintenance dependency_update fix_typo false_alarm known_issue
    just_a nothing_but only_the`,
  agentdoes: `assistant_copies assistant_sends assistant_forwards assistant_adds assistant_writes assistant_answers
    assistant_reports assistant_runs assistant_uses assistant_takes assistant_puts assistant_leaves
    assistant_keeps assistant_reads assistant_does agent_copies agent_sends agent_forwards agent_adds
    agent_writes agent_answers agent_reports agent_runs agent_uses agent_takes agent_puts agent_leaves
    agent_keeps agent_reads agent_does agent_fetches agent_asks bot_sends bot_adds bot_writes bot_answers
    bot_takes bot_keeps bot_does model_adds model_writes model_performs model_takes model_acts helper_adds
    helper_sends helper_takes copilots_leave copilots_add copilots_use assistants_send assistants_add
    assistants_take assistants_keep assistants_write agents_send agents_add agents_take agents_keep agents_write
    agents_use agents_execute agents_run bots_add bots_keep bots_take`,
  group: `group channel chat thread topic dm dms members admin admins moderator pinned invite join joined kick ban
    room`,
  restriction: `only exclusively solely nothing_else nothing_more no_one_else alone ausschliesslich nur seulement uniquement
    solo solamente unicamente apenas somente soltanto wylacznie tylko только лишь yalnizca sadece hanya chi 只 仅
    だけ のみ 오직 فقط केवल เท่านั้น`,
};
