export type Language =
  | 'english'
  | 'german'
  | 'spanish'
  | 'french'
  | 'italian'
  | 'portuguese'
  | 'dutch'
  | 'swedish'
  | 'danish'
  | 'norwegian'
  | 'finnish'
  | 'russian';

const words = (text: string) => new Set(text.split(' '));

/** Words without a subject of their own, folded as the index does. The first language wins if two are as likely. */
export const STOP_WORDS: Readonly<Record<Language, ReadonlySet<string>>> = {
  english: words(
    'a about after again all also am an and any are as at be because been before being but by can could did do does doing done during each for from get got had has have he her here him his how i if in into is it its just me more most my no nor not of off on once only or other our out over own please s same shall she should so some such t tell than that the their them then there these they this those through to too under until up us very was we were what when where which while who whom whose why will with would you your',
  ),
  german: words(
    'aber als am an auch auf aus bei beim bin bis bist bitte da damit dann das dass dein deine dem den der des dich die dies diese diesem diesen dieser dieses dir doch du durch ein eine einem einen einer eines er es euch fur gab gibt habe haben hat hatte hatten hier ich ihm ihn ihr ihre im in ins ist ja jetzt kann kein keine konnen man mein meine mich mir mit muss nach nicht noch nun nur ob oder ohne sehr sein seine sich sie sind so soll uber um und uns unser unsere unter vom von vor war waren warum was weil welche welcher welches wenn wer werden wie wieder wir wird wo wurde wurden zu zum zur',
  ),
  spanish: words(
    'a al algo antes como con cual cuando de del desde donde dos el ella ellos en entre era es esa ese eso esta estaba estan este esto fue ha hay hasta la las le les lo los mas me mi mis muy nada ni no nos nuestra nuestro o para pero por porque que quien se ser si sin sobre son su sus tambien te tiene tu un una uno unos y ya yo',
  ),
  french: words(
    'a ai as au aux avec avons c ce cela ces cet cette comme comment d dans de des donc du elle en est et etait ete etre eu fait il ils j je l la le les leur leurs lui m ma mais me mes moi mon n ne ni nos notre nous on ont ou par pas peut plus pour pourquoi qu quand que quel quelle qui quoi s sa sans se ses si son sont sur t ta te tes toi ton tu un une vos votre vous y',
  ),
  italian: words(
    'a abbiamo ai al alla alle allo anche che chi ci come con cosa cui da dal dalla dalle degli dei del della delle dello di dove e ed era gli ha hai hanno ho i il in io la le lei li lo loro lui ma mi mia mio ne nei nel nella no noi non nostra nostro o per perche piu quale quando quanto quella quello questa questo se sei si sono su sua sul sulla suo ti tra tu un una uno voi',
  ),
  portuguese: words(
    'a ao aos aquele aquilo as ate com como da das de dela dele do dos e ela ele eles em entre era essa esse esta este eu foi ha isso isto ja la lhe mais mas me mesmo meu minha muito na nao nas nem no nos nossa nosso num numa o onde os ou para pela pelo por porque qual quando que quem se sem ser seu sua suas tambem te tem tinha um uma voce',
  ),
  dutch: words(
    'aan al alles als altijd andere ben bij daar dan dat de der deze die dit doch doen door dus een en er ge geen had hebben heb heeft hem het hier hij hoe hun iets ik in is ja je kan kunnen maar me meer men met mij mijn moet na naar niet niets nog nu of om omdat ons onze ook op over te tegen toch toen tot u uit uw van veel voor waarom waar wanneer was wat we wel welke werd wie wij wil worden wordt zal ze zich zij zijn zo zonder zou',
  ),
  swedish: words(
    'alla allt att av bara bli blev da dar de dem den denna det detta din dina du efter eller en er ett fran for ha hade han har hon hur i in inte ja jag kan kunde man med men mig min mina mot mycket nar nagon nagot ni nu och om oss pa sa sig sin som till under upp ut vad var varfor vara vem vi vid vilken vilka vill',
  ),
  danish: words(
    'af alle andet at blev bliver da de dem den denne der det dette dig din du efter eller en end er et for fra ham han har havde hende her hun hvad hvem hvis hvor hvorfor hvordan hvornar i ikke ind jeg jo kan kunne man mange med meget men mig min mit mod ned noget nogle nu nar og ogsa om op os over pa sig sin skal skulle som til ud under var vi vil ville vores være',
  ),
  norwegian: words(
    'alle at av ble blir da de dem den denne der det dette deg din du eller en enn er et etter for fra ha hadde han har hun hva hvem hvis hvor hvorfor hvordan i ikke inn jeg kan kunne man med meg men min mitt mot mye ned noe noen na nar og ogsa om opp oss over pa seg sin skal skulle som til ut under var vi vil ville være',
  ),
  finnish: words(
    'ei eivat en ehka etta han he hanen ja joka jos kanssa koska kuin kun kuka me mika miksi milloin missa mina minun miten mitka mutta myos ne niin niita nyt oli olla on olen ovat se sen siella sina sinun sita tai tama tassa te tuo vai vain voi',
  ),
  russian: words(
    'а без бы был была были было быть в вам вас вы для до его ее ей если есть еще же за и из или им их к как какая какие какой когда кто ли мне мой мы на над нам нас не него нет но ну о об он она они от по под почему при про с со так там то только ты у уже что чтобы это этот я',
  ),
};

const LANGUAGES = Object.keys(STOP_WORDS) as Language[];
const CYRILLIC = /\p{Script=Cyrillic}/u;

/**
 * The languages that folded words may be written in. Stop words reveal it; without any, every language is possible.
 * English is always possible, because its terms are used in all others.
 */
export function likelyLanguages(folded: readonly string[]): Language[] {
  if (folded.some((word) => CYRILLIC.test(word))) return ['russian', 'english'];
  const counts = LANGUAGES.map((language) => folded.filter((word) => STOP_WORDS[language].has(word)).length);
  const most = Math.max(...counts);
  const likely = LANGUAGES.filter((_, index) => counts[index] === most);
  if (most === 0) return LANGUAGES.filter((language) => language !== 'russian');
  return likely.includes('english') ? likely : ['english', ...likely];
}

/** Removes stop words of the most likely language, unless nothing would be left. */
export function withoutStopWords(folded: readonly string[]): string[] {
  const counts = LANGUAGES.map((language) => folded.filter((word) => STOP_WORDS[language].has(word)).length);
  const likely = LANGUAGES[counts.indexOf(Math.max(...counts))] ?? 'english';
  const kept = folded.filter((word) => !STOP_WORDS[likely].has(word));
  return kept.length === 0 ? [...folded] : kept;
}
