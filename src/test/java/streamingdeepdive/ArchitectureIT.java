package streamingdeepdive;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import org.apache.spark.sql.streaming.DataStreamWriter;

/** Arrows between packages point one way; only a main needs what is optional for importers. */
@AnalyzeClasses(packages = "streamingdeepdive", importOptions = DoNotIncludeTests.class)
class ArchitectureIT {
  private static final String LESSONS = "streamingdeepdive.lesson..";
  private static final String TRAPS = "streamingdeepdive.trap..";
  private static final String APP = "streamingdeepdive.app..";
  private static final String RECOVERY = "streamingdeepdive.recovery..";

  @ArchTest
  static final ArchRule appKnowsNoLesson =
      noClasses()
          .that()
          .resideInAPackage(APP)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(LESSONS, TRAPS);

  @ArchTest
  static final ArchRule recoveryKnowsNoQuery =
      noClasses()
          .that()
          .resideInAPackage(RECOVERY)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(LESSONS, TRAPS, APP);

  @ArchTest
  static final ArchRule lessonsKnowNoTrap =
      noClasses()
          .that()
          .resideInAPackage(LESSONS)
          .should()
          .dependOnClassesThat()
          .resideInAPackage(TRAPS);

  @ArchTest
  static final ArchRule lessonsUseTheAppForTheirMainOnly =
      classes().that().resideInAnyPackage(LESSONS, TRAPS).should(useTheAppForTheirMainOnly());

  /** Whoever imports the jar has these only if they want them. */
  @ArchTest
  static final ArchRule deltaStaysInItsSink =
      noClasses()
          .that()
          .doNotHaveSimpleName("DeltaSink")
          .and()
          .doNotHaveSimpleName("DeltaOutput")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.delta..", "org.apache.spark.sql.delta..");

  @ArchTest
  static final ArchRule databasesAreReachedThroughJdbc =
      noClasses().should().dependOnClassesThat().resideInAnyPackage("org.h2..", "org.postgresql..");

  /** A reader sees in the main's own file how a query is started. */
  @ArchTest
  static final ArchRule mainsStartTheirQueries =
      classes()
          .that(
              describe(
                  "have a main", type -> type.tryGetMethod("main", String[].class).isPresent()))
          .should()
          .callMethod(DataStreamWriter.class, "start");

  @ArchTest
  static final ArchRule noClassesDependOnEachOther =
      slices().assignedFrom(classesWithTheirNestedOnes()).should().beFreeOfCycles();

  private static SliceAssignment classesWithTheirNestedOnes() {
    return new SliceAssignment() {
      @Override
      public SliceIdentifier getIdentifierOf(JavaClass type) {
        return SliceIdentifier.of(type.getName().replaceFirst("\\$.*", ""));
      }

      @Override
      public String getDescription() {
        return "classes with their nested ones";
      }
    };
  }

  /** A main opens the JDK's packages and quiets the log before it touches Spark. */
  @ArchTest
  static final ArchRule mainsLoadNoSparkClassByBeingLoaded =
      noFields()
          .that()
          .areStatic()
          .and()
          .areDeclaredInClassesThat()
          .resideInAnyPackage(LESSONS, TRAPS)
          .should()
          .haveRawType(resideInAPackage("org.apache.spark.."));

  private static ArchCondition<JavaClass> useTheAppForTheirMainOnly() {
    return new ArchCondition<>("use the app in main and its private helpers only") {
      @Override
      public void check(JavaClass lesson, ConditionEvents events) {
        lesson.getAccessesFromSelf().stream()
            .filter(access -> access.getTargetOwner().getPackageName().endsWith(".app"))
            .filter(access -> !access.getOrigin().getName().equals("main"))
            .filter(access -> !access.getOrigin().getModifiers().contains(JavaModifier.PRIVATE))
            .forEach(
                access ->
                    events.add(SimpleConditionEvent.violated(lesson, access.getDescription())));
      }
    };
  }
}
